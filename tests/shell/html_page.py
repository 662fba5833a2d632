"""tests/shell/html_page.py PAGE [TEXT...] - is this a sound, closed page?

Elements are balanced, ids unique, nothing in an attribute or style leads out
of the page, style and script are those that the Content-Security-Policy names,
the data is JSON, and every TEXT stands in the data as it is.
"""
import base64, hashlib, html.parser, json, re, sys

VOID = {"meta", "link", "br", "input"}
ALLOWED_TAGS = set("""a b body br button circle dd defs details div dl dt em figcaption figure footer form
    g h1 h2 h3 head header html input kbd label li line link main meta nav noscript output p path
    pattern rect script section select small span style summary svg table tbody td text th thead
    title tr tspan ul""".split())


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.stack, self.ids, self.whole, self.csp = [], [], {}, None
        self.links, self.words = [], []

    def handle_starttag(self, tag, attrs):
        assert tag in ALLOWED_TAGS, (tag, self.getpos())
        if tag not in VOID:
            self.stack.append(tag)
        self.check(tag, dict(attrs))

    def handle_startendtag(self, tag, attrs):
        assert tag in ALLOWED_TAGS, (tag, self.getpos())
        self.check(tag, dict(attrs))

    def check(self, tag, attrs):
        for k, v in attrs.items():
            assert not k.startswith("on") and k != "style" and k != "src", (tag, k)
            if k == "content" and attrs.get("http-equiv"):
                self.csp = v
            elif k == "href":
                assert v.startswith("#") or (tag == "link" and v == "data:,"), (tag, v)
                self.links.append(v)
            elif k not in ("title", "aria-label"):
                assert not re.search(r"\b[a-z]+:(//|\S*,)", v or ""), (tag, k, v)
        if "id" in attrs:
            self.ids.append(attrs["id"])
        if tag == "script":
            self.kind = attrs.get("type", "script")

    def handle_endtag(self, tag):
        assert self.stack and self.stack[-1] == tag, (tag, self.stack[-3:], self.getpos())
        self.stack.pop()

    def handle_data(self, words):
        top = self.stack[-1] if self.stack else ""
        if top in ("script", "style"):
            kind = self.kind if top == "script" else "style"
            self.whole[kind] = self.whole.get(kind, "") + words
        else:
            self.words.append(words)

    def handle_comment(self, words):
        raise AssertionError("a comment: " + words)


def unpack(data):
    """Lists of texts by column, packed as in report_html_column.h."""
    out, n = {}, data["shown"]
    for c in data["columns"]:
        if c["name"] == "cell_key":
            v = re.findall("[0-9a-f]{16}", c["values"])
        else:
            v = []
            for token in c["values"].split(",") if n else []:
                value, _, times = token.partition("*")
                assert re.fullmatch(r"(-?([0-9]+\.?[0-9]*|\.[0-9]+)(e-?[0-9]+)?|-?inf)?", value), token
                v += [value] * int(times or 1)
        assert len(v) == n, c["name"]
        if "base" in c:
            total = c["base"]
            for i in range(n):
                if v[i]:
                    total += int(v[i])
                    v[i] = str(total)
        if "dict" in c:
            v = [data["dict"][c["dict"]][int(x)] for x in v]
        out[c["name"]] = v
    return out


def read(path):
    page = Page()
    text = open(path, encoding="utf-8").read()
    page.feed(text)
    page.close()
    assert text.startswith("<!DOCTYPE html>") and not page.stack, page.stack
    assert len(set(page.ids)) == len(page.ids), "an id stands twice"
    assert page.csp and "default-src 'none'" in page.csp and "unsafe" not in page.csp
    for kind, name in (("style", "style-src"), ("script", "script-src")):
        digest = hashlib.sha256(page.whole[kind].encode()).digest()
        want = "%s 'sha256-%s'" % (name, base64.b64encode(digest).decode())
        assert want in page.csp, (want, page.csp)
    assert not re.search(r"https?:|@import|url\((?!#)", page.whole["style"] + page.whole["script"])
    raw = page.whole["application/json"]
    assert not re.search("[<>&]", raw), "a bracket in the data"
    page.data = json.loads(raw)
    page.cells = unpack(page.data)
    return page


if __name__ == "__main__":
    page = read(sys.argv[1])
    have = {s for d in page.data["dict"].values() for s in d}
    for text in sys.argv[2:]:
        assert text in have, (text, sorted(have))
    print("%d of %d cells, %d columns, %d links" % (
        page.data["shown"], page.data["rows"], len(page.cells), len(page.links)))
