/* Every kernel while another thread changes what it reads. Usage: test_changing SECONDS [level name ...]; exit status 0 if
   each item was counted once. Under AddressSanitizer it shows that nothing is written outside a table. */
#include <pthread.h>
#include <time.h>
static pthread_mutex_t in_use = PTHREAD_MUTEX_INITIALIZER;
#define LET_GO(memories) do { pthread_mutex_lock(&in_use); (memories)->n = 0; pthread_mutex_unlock(&in_use); } while (0)
#include "../../fuzz/any_call.h"

static memories_t memories;
static atomic_int is_over;
static long n_changed;

static void *change(void *unused)
{
    uint64_t seed = 88172645463325252ull;
    (void)unused;
    while (!is_over) {
        pthread_mutex_lock(&in_use);
        const int n = memories.n;
        for (int i = 0; i < n; i++) {
            const memory_t own = memories.all[i];
            for (int k = 0; k < 64 && own.size; k++) {
                seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17;
                /* small numbers are labels now and then, others never */
                own.memory[seed % own.size] = (unsigned char)(seed >> 40 & 1 ? seed >> 48 : seed >> 48 & 3);
                n_changed++;
            }
        }
        pthread_mutex_unlock(&in_use);
    }
    return NULL;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int argc, char **argv)
{
    uint64_t seed = 1234567;
    uint8_t bytes[300];
    pthread_t thread;
    if (argc < 3 || pthread_create(&thread, NULL, change, NULL)) return 1;
    for (int a = 2; a < argc; a++) {
        if (simd_level_force(simd_level_named(argv[a])) < 0) { printf("level %s is not available\n", argv[a]); return 1; }
        long n_calls = 0;
        for (const double end = now() + atof(argv[1]); now() < end; n_calls++) {
            for (size_t i = 0; i < sizeof bytes; i++) {
                seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17;
                bytes[i] = (uint8_t)(seed >> 24);
            }
            any_call(bytes, sizeof bytes, &memories, 0);
        }
        printf("%s: %ld calls while their columns changed\n", argv[a], n_calls);
    }
    is_over = 1;
    pthread_join(thread, NULL);
    printf("%ld bytes changed\n", n_changed);
    return 0;
}
