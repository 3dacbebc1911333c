/* The inner loop of quantised inference: a dot product of signed bytes. */
#ifndef DOT_H
#define DOT_H

#include <stddef.h>
#include <stdint.h>

int32_t dot(const int8_t *left, const int8_t *right, size_t length);

/* Which of the loops below this CPU takes. */
const char *dot_variant(void);

#endif
