/* ops/notation/notation_parse.h - the case notation, where a cursor already
 * stands
 *
 * For readers whose texts contain notation: schemas (defaults), traces.
 * Everyone else uses ops/notation/notation.h.
 */
#ifndef OSW_OPS_NOTATION_PARSE_H
#define OSW_OPS_NOTATION_PARSE_H

#include "ops/notation/scan.h"
#include "ops/notation/value.h"

/* Read one value or one case and leave the cursor after it.  Return 0, or -1
 * with err set (see ops/notation/notation.h) and *out untouched.
 */
int osw_notation_parse_scan_value(struct osw_scan *s,
                                  struct osw_value *out) OSW_MUST_CHECK;
int osw_notation_parse_scan_case(struct osw_scan *s,
                                 struct osw_case *out) OSW_MUST_CHECK;

#endif /* OSW_OPS_NOTATION_PARSE_H */
