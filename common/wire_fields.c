/* common/wire_fields.c - a struct's fields as a message, by a table */
#include "common/wire_fields.h"

void osw_write_bytes(struct osw_writer *w, const void *from, size_t n)
{
    void *p = osw_write_raw(w, n);

    if (p && n)
        memcpy(p, from, n);
}

void osw_fields_put(struct osw_writer *w, const void *m,
                    const struct osw_field *f)
{
    for (; f->kind != OSW_FIELD_END; f++) {
        const char *from = (const char *)m + f->at;
        const char *text;

        if (f->kind == OSW_FIELD_TEXT) {
            memcpy(&text, from, sizeof(text));
            osw_write_str(w, text);
        } else { /* little endian: the low byte comes first */
            osw_write_bytes(w, from, f->kind == OSW_FIELD_SMALL ? 1 : f->size);
        }
    }
}

void osw_fields_get(struct osw_reader *r, void *m, const struct osw_field *f)
{
    for (; f->kind != OSW_FIELD_END; f++) {
        bool is_text = f->kind == OSW_FIELD_TEXT, flag;
        char *to = (char *)m + f->at;
        const char *text = is_text ? osw_read_str(r) : "";
        size_t n = f->kind == OSW_FIELD_SMALL ? 1 : f->size;
        const void *from = is_text ? &text : osw_read_raw(r, n);

        memset(to, 0, f->size);
        if (from && f->kind == OSW_FIELD_FLAG) {
            flag = *(const unsigned char *)from != 0;
            from = &flag;
        }
        if (from)
            memcpy(to, from, n);
    }
}
