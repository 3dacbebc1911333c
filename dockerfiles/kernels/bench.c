#include "dot.h"

#include <stdio.h>

/* Proves the loop against plain arithmetic, and says which one ran. */
int main(void)
{
    static int8_t left[1003], right[1003];
    int32_t expected = 0;
    for (int i = 0; i < 1003; i++) {
        left[i] = (int8_t)(i % 251 - 125);
        right[i] = (int8_t)(i * 7 % 253 - 126);
        expected += (int32_t)left[i] * right[i];
    }
    int32_t got = dot(left, right, 1003);
    printf("%s: %d %s\n", dot_variant(), got, got == expected ? "ok" : "WRONG");
    return got == expected ? 0 : 1;
}
