"""doc_links.py PAGE.md... - do the links between pages lead somewhere?

Files must exist, and anchors be headings of the page that they name.  Anchors
are made as GitHub makes them.  Prints each link that leads nowhere.
"""
import os
import re
import sys


def without_code(text):
    return re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M)


def anchors(path):
    found = set()
    for title in re.findall(r"^#+ (.*)$", without_code(open(path).read()), re.M):
        title = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).lower()
        title = re.sub(r"[^\w\- ]", "", title).replace(" ", "-")
        n = sum(1 for a in found if re.fullmatch(re.escape(title) + r"(-\d+)?", a))
        found.add(title if n == 0 else "%s-%d" % (title, n))
    return found


bad = n = 0
for page in sys.argv[1:]:
    text = re.sub(r"`[^`\n]*`", "", without_code(open(page).read()))
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        path = os.path.join(os.path.dirname(page), path) if path else page
        n += 1
        if not os.path.exists(path):
            print("%s: no file '%s'" % (page, link))
            bad += 1
        elif anchor and path.endswith(".md") and anchor not in anchors(path):
            print("%s: no heading for '%s'" % (page, link))
            bad += 1
print("%d links" % n)
sys.exit(bad > 0 or n == 0)
