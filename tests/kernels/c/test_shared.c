/* Every kernel in several threads at a time. Usage: test_shared SECONDS [level name ...]; exit status 0 if all is right.
   Under ThreadSanitizer it shows that kernels keep no state of their own, and that threads may share what they read.

   First each thread calls any kernel on columns of its own. Then all read the same columns, a range at a time, each into
   its own tables, which are added up when they have ended: what kernels/threads.py does. */
#include <pthread.h>
#include <time.h>
#include "../../fuzz/any_call.h"

enum { N_THREADS = 4, N_ITEMS = 60000, N_LABELS = 7, N_CELLS = (N_LABELS + 1) * (N_LABELS + 1), N_BINS = 50 };

static double seconds;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void *call_any(void *number)
{
    uint64_t seed = 1234567 + (uint64_t)(uintptr_t)number;
    uint8_t bytes[300];
    memories_t memories;
    for (const double end = now() + seconds; now() < end;) {
        for (size_t i = 0; i < sizeof bytes; i++) {
            seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17;
            bytes[i] = (uint8_t)(seed >> 24);
        }
        any_call(bytes, sizeof bytes, &memories, 1);
    }
    return NULL;
}

/* What all threads read. */
static int64_t first[N_ITEMS], second[N_ITEMS];
static double weights[N_ITEMS], scores[N_ITEMS];

typedef struct {
    int64_t counts[N_CELLS], weighted[N_CELLS];
    double sums[N_CELLS];
    moments_t moments;
    uint32_t binned[(N_BINS + 3) * (N_LABELS + 1)];
} tables_t;

typedef struct { pthread_mutex_t lock; ptrdiff_t next; } ranges_t;
typedef struct { ranges_t *ranges; tables_t tables; } worker_t;

/* As ItemRanges of kernels/threads.py, with ranges of one length. */
static int take_range(ranges_t *ranges, ptrdiff_t *start, ptrdiff_t *stop)
{
    pthread_mutex_lock(&ranges->lock);
    *start = ranges->next;
    *stop = ranges->next = *start + 1711 < N_ITEMS ? *start + 1711 : N_ITEMS;
    pthread_mutex_unlock(&ranges->lock);
    return *start < *stop;
}

static void *count(void *own)
{
    worker_t *worker = own;
    tables_t *tables = &worker->tables;
    const column_t a = {(const char *)first, 8, COLUMN_INT64, 0, 0, N_LABELS};
    const column_t b = {(const char *)second, 8, COLUMN_INT64, 0, 0, N_LABELS};
    const column_t s = {(const char *)scores, 8, COLUMN_FLOAT64, 0, 0, 0};
    const column_t w = {(const char *)weights, 8, COLUMN_FLOAT64, 0, 0, 0};
    const bins_t bins = {0.0, N_BINS, N_BINS};
    ptrdiff_t start, stop;
    memset(tables, 0, sizeof *tables);
    while (take_range(worker->ranges, &start, &stop)) {
        count_pairs(&a, &b, start, stop, tables->counts);
        sum_pairs(&a, &b, &w, start, stop, tables->weighted, tables->sums);
        sum_moments(&a, &b, start, stop, &tables->moments);
        count_scores(&s, &a, NULL, start, stop, &bins, tables->binned, NULL);
    }
    return NULL;
}

static void count_in_threads(int n_threads, tables_t *total)
{
    static worker_t workers[N_THREADS];
    pthread_t threads[N_THREADS];
    ranges_t ranges = {PTHREAD_MUTEX_INITIALIZER, 0};
    for (int t = 0; t < n_threads; t++) {
        workers[t].ranges = &ranges;
        EXPECT(pthread_create(&threads[t], NULL, count, &workers[t]) == 0, "start of a thread");
    }
    memset(total, 0, sizeof *total);
    for (int t = 0; t < n_threads; t++) {
        pthread_join(threads[t], NULL);
        const tables_t *part = &workers[t].tables;
        for (int i = 0; i < N_CELLS; i++) {
            total->counts[i] += part->counts[i];
            total->weighted[i] += part->weighted[i];
            total->sums[i] += part->sums[i];        /* whole numbers: exact in any order */
        }
        for (size_t i = 0; i < COUNT_OF(total->binned); i++) total->binned[i] += part->binned[i];
        total->moments.inside += part->moments.inside;
        total->moments.sum_ab.low += part->moments.sum_ab.low;
    }
}

static void check_shared(void)
{
    static tables_t alone, together;
    int64_t expected[N_CELLS] = {0}, products = 0;
    for (int i = 0; i < N_ITEMS; i++) {
        expected[first[i] * (N_LABELS + 1) + second[i]]++;
        products += first[i] * second[i];
    }
    count_in_threads(1, &alone);
    count_in_threads(N_THREADS, &together);
    EXPECT(memcmp(together.counts, expected, sizeof expected) == 0, "counts of threads");
    EXPECT(memcmp(together.weighted, expected, sizeof expected) == 0, "counts of threads with weights");
    EXPECT(together.moments.inside == N_ITEMS && together.moments.sum_ab.low == (uint64_t)products, "moments of threads");
    EXPECT(memcmp(together.sums, alone.sums, sizeof alone.sums) == 0, "sums of threads");
    EXPECT(memcmp(together.binned, alone.binned, sizeof alone.binned) == 0, "scores of threads");
}

int main(int argc, char **argv)
{
    pthread_t threads[N_THREADS];
    uint64_t seed = 88172645463325252ull;
    if (argc < 3) return 1;
    seconds = atof(argv[1]);
    for (int i = 0; i < N_ITEMS; i++) {
        seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17;
        first[i] = (int64_t)(seed >> 20) % N_LABELS;
        second[i] = (int64_t)(seed >> 40) % N_LABELS;
        weights[i] = (double)(seed % 9);
        scores[i] = (double)(seed >> 11) * 0x1p-53;
    }
    for (int a = 2; a < argc; a++) {
        /* Modules do this when they are loaded: no thread has to find the level. */
        if (simd_level_force(simd_level_named(argv[a])) < 0) { printf("level %s is not available\n", argv[a]); return 1; }
        for (uintptr_t t = 0; t < N_THREADS; t++)
            EXPECT(pthread_create(&threads[t], NULL, call_any, (void *)t) == 0, "start of a thread");
        for (int t = 0; t < N_THREADS; t++) pthread_join(threads[t], NULL);
        check_shared();
        printf("%s: %d threads at a time\n", argv[a], N_THREADS);
    }
    return 0;
}
