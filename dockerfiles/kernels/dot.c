#include "dot.h"

static int32_t dot_plain(const int8_t *left, const int8_t *right, size_t length)
{
    int32_t sum = 0;
    for (size_t i = 0; i < length; i++)
        sum += (int32_t)left[i] * right[i];
    return sum;
}

#if defined(__x86_64__)

#include <immintrin.h>

/* Compiled for AVX2 alone and taken only where the CPU has it, so the image runs on every amd64 machine. */
__attribute__((target("avx2"))) static int32_t dot_avx2(const int8_t *left, const int8_t *right, size_t length)
{
    __m256i sum = _mm256_setzero_si256();
    size_t i = 0;
    for (; i + 16 <= length; i += 16) {
        __m256i a = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(left + i)));
        __m256i b = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(right + i)));
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(a, b));
    }
    int32_t lanes[8];
    _mm256_storeu_si256((__m256i *)lanes, sum);
    int32_t total = 0;
    for (int lane = 0; lane < 8; lane++)
        total += lanes[lane];
    return total + dot_plain(left + i, right + i, length - i);
}

int32_t dot(const int8_t *left, const int8_t *right, size_t length)
{
    return __builtin_cpu_supports("avx2") ? dot_avx2(left, right, length) : dot_plain(left, right, length);
}

const char *dot_variant(void)
{
    return __builtin_cpu_supports("avx2") ? "amd64 avx2" : "amd64 plain";
}

#elif defined(__aarch64__)

#include <arm_neon.h>

/* Every arm64 CPU has NEON: no check is needed. */
int32_t dot(const int8_t *left, const int8_t *right, size_t length)
{
    int32x4_t sum = vdupq_n_s32(0);
    size_t i = 0;
    for (; i + 16 <= length; i += 16) {
        int8x16_t a = vld1q_s8(left + i);
        int8x16_t b = vld1q_s8(right + i);
        sum = vpadalq_s16(sum, vmull_s8(vget_low_s8(a), vget_low_s8(b)));
        sum = vpadalq_s16(sum, vmull_s8(vget_high_s8(a), vget_high_s8(b)));
    }
    return vaddvq_s32(sum) + dot_plain(left + i, right + i, length - i);
}

const char *dot_variant(void)
{
    return "arm64 neon";
}

#else
#error "no vector code for this architecture"
#endif
