/* A call of any kernel, made of bytes: which kernel, what columns, what lies in memory.

   Every array has just the room that is promised, so that a sanitizer sees a byte too many. With `compare`, what a kernel
   gives is compared with a naive loop; without, another thread may change the columns meanwhile, and all that is asked is
   that each item is counted once. */
#ifndef ANY_CALL_H
#define ANY_CALL_H
#include "any_column.h"
#include "naive_lines.h"

/* ---- pairs ---- */

static int64_t sum_of(const int64_t *table, size_t n)
{
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += table[i];
    return sum;
}

static void call_pairs(stream_t *stream, memories_t *memories, int compare)
{
    const ptrdiff_t n = how_many(stream), start = n ? (ptrdiff_t)take(stream, 4) % n : 0, stop = n;
    const int kind_a = (int)take(stream, 10), kind_b = take(stream, 2) ? kind_a : (int)take(stream, 10);
    const column_t a = labels(stream, memories, kind_a, n, 70000);
    const column_t b = labels(stream, memories, kind_b, n, a.n_labels > 1000 ? 10 : 1u << (a.n_labels > 64 ? 10 : 14));
    const size_t row = (size_t)b.n_labels + 1, n_cells = ((size_t)a.n_labels + 1) * row;
    int64_t *table = calloc(n_cells, 8), *expected = calloc(n_cells, 8);
    for (ptrdiff_t i = start; i < stop && compare; i++) expected[naive_code(&a, i) * row + naive_code(&b, i)]++;
    const int which = (int)take(stream, 4);
    if (which < 2) {
        count_pairs(&a, &b, start, stop, table);
    } else {
        const int whole = which == 3, kind = whole ? (int)take(stream, 8) : COLUMN_FLOAT32 + (int)take(stream, 2);
        const column_t w = elements(stream, memories, kind, n, 0);
        for (ptrdiff_t i = 0; i < n && !whole; i++) put_element(&w, i, (int64_t)(more(stream) % 1000));
        double *sums = calloc(n_cells, 8), *sums_expected = calloc(n_cells, 8);
        int64_t *high = calloc(n_cells, 8), *low = calloc(n_cells, 8);
        uint64_t *exact = calloc(n_cells, 8);
        column_t every = w;
        every.lowest = 0; every.n_labels = ~(uint64_t)0;
        for (ptrdiff_t i = start; i < stop && compare; i++) {
            const size_t cell = naive_code(&a, i) * row + naive_code(&b, i);
            if (whole) exact[cell] += naive_code(&every, i);        /* modulo 2^64 */
            else sums_expected[cell] += naive_score(&w, i);
        }
        if (whole) sum_pairs_int(&a, &b, &w, start, stop, table, high, (uint64_t *)low);
        else sum_pairs(&a, &b, &w, start, stop, table, sums);
        for (size_t i = 0; i < n_cells && compare; i++)
            EXPECT(whole ? ((uint64_t)high[i] << 32) + (uint64_t)low[i] == exact[i] : sums[i] == sums_expected[i], "sums of pairs");
        free(sums); free(sums_expected); free(high); free(low); free(exact);
    }
    if (compare) EXPECT(memcmp(table, expected, n_cells * 8) == 0, "counts of pairs");
    else EXPECT(sum_of(table, n_cells) == stop - start, "number of pairs");
    free(table); free(expected);
}

static void call_moments(stream_t *stream, memories_t *memories, int compare)
{
    const ptrdiff_t n = how_many(stream);
    const int kind_a = (int)take(stream, 10), kind_b = take(stream, 2) ? kind_a : (int)take(stream, 10);
    const column_t a = labels(stream, memories, kind_a, n, 65535), b = labels(stream, memories, kind_b, n, 65535);
    moments_t moments;
    memset(&moments, 0, sizeof moments);
    uint64_t sums[6] = {0};
    for (ptrdiff_t i = 0; i < n && compare; i++) {
        const uint64_t x = naive_code(&a, i), y = naive_code(&b, i);
        if (x >= a.n_labels || y >= b.n_labels) continue;
        sums[0]++; sums[1] += x; sums[2] += y; sums[3] += x * x; sums[4] += y * y; sums[5] += x * y;
    }
    sum_moments(&a, &b, 0, n, &moments);
    EXPECT(moments.inside + moments.outside == (uint64_t)n, "number in moments");
    if (compare)
        EXPECT(moments.inside == sums[0] && moments.sum_a.low == sums[1] && moments.sum_b.low == sums[2]
               && moments.sum_aa.low == sums[3] && moments.sum_bb.low == sums[4] && moments.sum_ab.low == sums[5], "moments");
}

static void call_rows(stream_t *stream, memories_t *memories, int compare)
{
    const ptrdiff_t n = (ptrdiff_t)take(stream, 600), width = 1 + (ptrdiff_t)take(stream, 300);
    const int kind = (int)take(stream, 10);
    const column_t first = labels(stream, memories, (int)take(stream, 10), n, MOST_ROW_LABELS);
    column_t row = labels(stream, memories, kind, n * width, MOST_ROW_LABELS);
    const ptrdiff_t row_stride = row.stride * width;
    const size_t columns = (size_t)row.n_labels + 1, n_cells = ((size_t)first.n_labels + 1) * columns;
    const size_t counters = (size_t)row_counters(&first, &row), groups = (size_t)((width + ROW_WIDTH - 1) / ROW_WIDTH);
    int64_t *tables = calloc(n_cells * (size_t)width, 8), *expected = calloc(n_cells * (size_t)width, 8);
    uint8_t *counts = malloc(counters ? counters : 1);
    uint32_t *sums = malloc(counters * groups * 4 + 4);
    for (ptrdiff_t i = 0; i < n && compare; i++)
        for (ptrdiff_t c = 0; c < width; c++)
            expected[(size_t)c * n_cells + naive_code(&first, i) * columns + naive_code(&row, i * width + c)]++;
    count_rows(&first, &row, row_stride, width, 0, n, tables, counts, sums);
    for (ptrdiff_t c = 0; c < width && !compare; c++)
        EXPECT(sum_of(tables + (size_t)c * n_cells, n_cells) == n, "number of rows");
    if (compare) EXPECT(memcmp(tables, expected, n_cells * (size_t)width * 8) == 0, "rows");
    free(tables); free(expected); free(counts); free(sums);
}

/* ---- scores ---- */

static void put_score(const column_t *scores, ptrdiff_t i, double score)
{
    const float narrow = (float)score;
    const char *bytes = scores->kind == COLUMN_FLOAT32 ? (const char *)&narrow : (const char *)&score;
    const int width = element_width(scores->kind);
    char *p = (char *)(uintptr_t)scores->data + i * scores->stride;
    for (int k = 0; k < width; k++) p[k] = bytes[scores->swapped ? width - 1 - k : k];
}

static column_t scores_of(stream_t *stream, memories_t *memories, ptrdiff_t n, int finite)
{
    const column_t scores = elements(stream, memories, COLUMN_FLOAT32 + (int)take(stream, 2), n, take(stream, 2) == 1);
    const uint64_t any = finite ? 0 : take(stream, 40);       /* what lies there: any bits of a float */
    for (ptrdiff_t i = 0; i < n; i++)
        if (!any || more(stream) >> 9 & any)
            put_score(&scores, i, (double)(more(stream) >> 11) * 0x1p-51 - 2.0);
    return scores;
}

static void call_bins(stream_t *stream, memories_t *memories, int compare)
{
    static const double LOWS[] = {-1.5, 0.0, -1e-3, 1e30}, SCALES[] = {7.3, 8.2e270, 1e-300, 1e3};
    const bins_t bins = {LOWS[take(stream, 4)], SCALES[take(stream, 4)], 1 + (int32_t)take(stream, 260)};
    const ptrdiff_t n = how_many(stream), start = n ? (ptrdiff_t)take(stream, 20) % n : 0;
    const column_t scores = scores_of(stream, memories, n, 0);
    const column_t codes = labels(stream, memories, (int)take(stream, 8), n, 500);
    const size_t rows = (size_t)bins.n_inner + 3, width = (size_t)codes.n_labels + 1, n_cells = rows * width;
    const size_t room = (size_t)(n - start), wide = (size_t)element_width(scores.kind);
    const int weighted = (int)take(stream, 2), which = (int)take(stream, 4);
    double *weights = malloc((size_t)n * 8 + 8), *out_weights = malloc(room * 8 + 8);
    char *out = malloc(room * wide + 8);
    uint16_t *out_codes = malloc(room * 2 + 2);
    for (ptrdiff_t i = 0; i < n; i++) weights[i] = (double)(more(stream) % 100);
    const double *const given = weighted ? weights : NULL;
#define OUT(i) (wide == 4 ? (double)((float *)out)[i] : ((double *)out)[i])
#define SAME(x, y) (!(x < y) && !(x > y))
    if (which == 0) {
        uint32_t *table = calloc(n_cells, 4), *expected = calloc(n_cells, 4);
        double *sums = calloc(n_cells, 8), *sums_expected = calloc(n_cells, 8);
        int64_t counted = 0;
        for (ptrdiff_t i = start; i < n && compare; i++) {
            const size_t cell = (size_t)naive_row(naive_score(&scores, i), &bins) * width + naive_code(&codes, i);
            expected[cell]++;
            sums_expected[cell] += weights[i];
        }
        count_scores(&scores, &codes, given, start, n, &bins, table, weighted ? sums : NULL);
        for (size_t i = 0; i < n_cells; i++) {
            counted += table[i];
            if (compare) EXPECT(table[i] == expected[i] && (!weighted || sums[i] == sums_expected[i]), "counts of scores");
        }
        EXPECT(counted == n - start, "number of scores");
        free(table); free(expected); free(sums); free(sums_expected);
    } else if (which == 1) {
        double *ends = malloc(rows * 32), *least = ends, *largest = ends + rows, *low = ends + 2 * rows, *high = ends + 3 * rows;
        for (size_t r = 0; r < rows; r++) { least[r] = low[r] = INFINITY; largest[r] = high[r] = -INFINITY; }
        for (ptrdiff_t i = start; i < n && compare; i++) {
            const double x = naive_score(&scores, i);
            const int r = naive_row(x, &bins);
            if (x < low[r]) low[r] = x;
            if (x > high[r]) high[r] = x;
        }
        range_scores(&scores, start, n, &bins, least, largest);
        for (size_t r = 0; r < rows && compare; r++) EXPECT(least[r] == low[r] && largest[r] == high[r], "ends of bins");
        free(ends);
    } else if (which == 2) {
        uint8_t *wanted = malloc(rows);
        const uint64_t every = 1 + take(stream, 40);
        for (size_t r = 0; r < rows; r++) wanted[r] = more(stream) >> 10 & 0xFF ? r / every % 2 : 1;
        const ptrdiff_t found = collect_scores(&scores, &codes, given, start, n, &bins, wanted, out, out_codes, out_weights);
        ptrdiff_t k = 0;
        EXPECT(found <= n - start, "number collected");
        for (ptrdiff_t i = start; i < n && compare; i++) {
            const double x = naive_score(&scores, i);
            if (!wanted[naive_row(x, &bins)]) continue;
            EXPECT(k < found && SAME(OUT(k), x) && out_codes[k] == naive_code(&codes, i)
                   && (!weighted || out_weights[k] == weights[i]), "collected scores");
            k++;
        }
        EXPECT(!compare || k == found, "number collected");
        free(wanted);
    } else {
        /* any ends, as if the scores had been others when they were counted */
        int64_t *places = malloc(rows * 16), *ends = places + rows, *next = malloc(rows * 8), place = 0;
        for (size_t r = 0; r < rows; r++) {
            next[r] = places[r] = place;
            place += (int64_t)(more(stream) % (2 * room / rows + 2));
            ends[r] = place = place > (int64_t)room ? (int64_t)room : place;
        }
        double *expected = malloc(room * 8 + 8);
        uint8_t *written = calloc(room + 1, 1);
        ptrdiff_t n_refused = 0;
        for (ptrdiff_t i = start; i < n && compare; i++) {
            const double x = naive_score(&scores, i);
            const int r = naive_row(x, &bins);
            if (next[r] >= ends[r]) { n_refused++; continue; }
            written[next[r]] = 1;
            expected[next[r]++] = x;
        }
        const ptrdiff_t found = group_scores(&scores, &codes, given, start, n, &bins, places, ends, out, out_codes, out_weights);
        EXPECT(!compare || found == n_refused, "number refused");
        for (size_t i = 0; i < room && compare; i++) EXPECT(!written[i] || SAME(OUT(i), expected[i]), "grouped scores");
        free(places); free(next); free(expected); free(written);
    }
    free(weights); free(out_weights); free(out); free(out_codes);
}

/* Labels summed, and cuts and kappa looked for. */
static void call_order(stream_t *stream, memories_t *memories, int compare)
{
    const ptrdiff_t n = 1 + (ptrdiff_t)take(stream, 700);
    const column_t scores = scores_of(stream, memories, n, take(stream, 2) == 1);
    const column_t codes = labels(stream, memories, (int)take(stream, 8), n, 60);
    const size_t n_labels = (size_t)codes.n_labels, wide = (size_t)element_width(scores.kind);
    char *out = malloc((size_t)n * wide);
    uint16_t *out_codes = malloc((size_t)n * 2);
    for (ptrdiff_t i = 0; i < n; i++) {
        const double score = naive_score(&scores, i);
        const float narrow = (float)score;
        memcpy(out + (size_t)i * wide, wide == 4 ? (const void *)&narrow : (const void *)&score, wide);
        out_codes[i] = (uint16_t)naive_code(&codes, i);
    }
    if (n_labels < 2) goto done;
    const ptrdiff_t n_places = 2 + (ptrdiff_t)take(stream, 40);
    int64_t *places = malloc((size_t)n_places * 8), *positions = malloc(n_labels * 16), *candidates = positions + n_labels;
    for (ptrdiff_t j = 0; j < n_places; j++) places[j] = j * n / (n_places - 1);
    double *prefix = malloc(n_labels * (size_t)n_places * 8), *below = malloc(n_labels * 8), *naive = calloc(n_labels, 8);
    double *matrix = malloc(n_labels * n_labels * 8), *chance = malloc(n_labels * 8), ratio[2] = {0, 1};
    double *work = malloc(n_labels * (n_labels + 1) * 8);
    accumulate_labels(out_codes, NULL, places, n_places, (ptrdiff_t)n_labels, prefix, below);
    for (ptrdiff_t j = 1; j < n_places && compare; j++) {
        for (int64_t i = places[j - 1]; i < places[j]; i++)
            if (out_codes[i] < n_labels) naive[out_codes[i]]++;
        for (size_t y = 0; y < n_labels; y++) EXPECT(prefix[y * (size_t)n_places + (size_t)j] == naive[y], "sums by label");
    }
    for (size_t i = 0; i < n_labels * n_labels; i++) {
        const double apart = (double)(i / n_labels) - (double)(i % n_labels);
        matrix[i] = take(stream, 2) ? apart * apart : (double)take(stream, 8);
    }
    for (size_t c = 0; c < n_labels; c++) {
        chance[c] = 0;
        for (size_t y = 0; y < n_labels; y++) chance[c] += prefix[y * (size_t)n_places + (size_t)n_places - 1] * matrix[y * n_labels + c];
    }
    const int rounds = search_cuts(prefix, n_places, (ptrdiff_t)n_labels, matrix, chance, ratio, positions, 0, work, candidates);
    for (size_t c = 0; c + 1 < n_labels && rounds; c++)
        EXPECT(positions[c] >= 0 && positions[c] < n_places && (!c || positions[c - 1] <= positions[c]), "order of cuts");
    for (ptrdiff_t to = 0; to < n_places && rounds && n_labels == 2; to++) {
        double observed = 0, by_chance = 0;
        for (size_t y = 0; y < 2; y++) {
            const double first = prefix[y * (size_t)n_places + (size_t)to], all = prefix[y * (size_t)n_places + (size_t)n_places - 1];
            observed += matrix[y * 2] * first + matrix[y * 2 + 1] * (all - first);
            by_chance += chance[0] * first + chance[1] * (all - first);
        }
        EXPECT(by_chance == 0 || observed * ratio[1] >= ratio[0] * by_chance, "best cut");
    }
    free(places); free(positions); free(prefix); free(below); free(naive); free(matrix); free(chance); free(work);
done:
    free(out); free(out_codes);
}
#undef OUT
#undef SAME

/* ---- lines of text ---- */

/* Lines of known texts and some others, of which some bytes are changed. */
static void call_lines(stream_t *stream, memories_t *memories, int compare)
{
    enum { MOST_FIELDS = 5, LONGEST = 8 * MOST_WORDS, LONGEST_LINE = 2 * LONGEST + 24 * MOST_FIELDS };
    static const uint8_t DELIMITERS[] = {',', ';', '\t', '|', ' ', 1, 0x7F, 0x80, 0xFF}, OTHERS[] = ",\n\r-0 a";
    static const ptrdiff_t NUMBERS_OF_WORDS[] = {1, 1, 1, 2, 2, 3, 4, MOST_WORDS};
    lines_t lines;
    memset(&lines, 0, sizeof lines);
    lines.delimiter = DELIMITERS[take(stream, COUNT_OF(DELIMITERS))];
    lines.n_fields = 2 + (ptrdiff_t)take(stream, MOST_FIELDS - 1);
    lines.first = (ptrdiff_t)take(stream, (uint64_t)lines.n_fields);
    lines.second = (lines.first + 1 + (ptrdiff_t)take(stream, (uint64_t)lines.n_fields - 1)) % lines.n_fields;

    /* texts of any length for the rows, and those of them that fit for the columns */
    known_t known[2];
    char (*texts)[LONGEST + 1] = malloc(MOST_TEXTS * sizeof *texts);
    const ptrdiff_t n = 1 + (ptrdiff_t)take(stream, take(stream, 8) ? 200 : MOST_TEXTS);
    for (int axis = 0; axis < 2; axis++) {
        const ptrdiff_t n_words = NUMBERS_OF_WORDS[take(stream, COUNT_OF(NUMBERS_OF_WORDS))];
        uint64_t *words = calloc((size_t)(n * n_words), 8);
        for (ptrdiff_t i = 0; i < n; i++) {
            if (!axis) snprintf(texts[i], sizeof *texts, "%0*d", (int)((more(stream) >> 20) % (uint64_t)(8 * n_words + 1)), (int)i);
            const size_t length = strlen(texts[i]);
            memcpy(words + i * n_words, texts[i], length < 8 * (size_t)n_words ? length : 8 * (size_t)n_words);
        }
        known[axis] = (known_t){words, n, n_words};
    }

    const ptrdiff_t n_lines = (ptrdiff_t)take(stream, 200);
    const int returns = (int)take(stream, 2), ended = (int)take(stream, 2), n_changes = (int)take(stream, 4);
    char *text = malloc((size_t)(n_lines + 1) * LONGEST_LINE), *end = text;
    for (ptrdiff_t i = 0; i < n_lines; i++) {
        for (ptrdiff_t field = 0; field < lines.n_fields; field++) {
            if (field) *end++ = (char)lines.delimiter;
            if (field == lines.first || field == lines.second) end += sprintf(end, "%s", texts[(more(stream) >> 20) % (uint64_t)n]);
            else end += sprintf(end, "%.*s", (int)(more(stream) >> 60), "a text \xC3\xA9t\xC3\xA9 \"...");
        }
        end += sprintf(end, "%s%s", returns ? "\r" : "", ended || i < n_lines - 1 ? "\n" : "");
    }
    const size_t size = (size_t)(end - text);
    uint8_t *memory = (uint8_t *)new_memory(memories, size);
    memcpy(memory, text, size);
    for (int i = 0; i < n_changes && size; i++)
        memory[take(stream, size)] = take(stream, 2) ? OTHERS[take(stream, COUNT_OF(OTHERS))] : (uint8_t)take(stream, 256);
    lines.text = memory;
    lines.n_bytes = (ptrdiff_t)size;
    int64_t *table = calloc((size_t)(n * n), 8), *naive = calloc((size_t)(n * n), 8);
    const ptrdiff_t counted = count_lines(known[0].words, n, known[0].n_words, known[1].words, n, known[1].n_words, &lines, table);
    if (compare) {
        EXPECT(counted == naive_count_lines(known, &lines, naive), "bytes of lines that are counted");
        EXPECT(memcmp(table, naive, (size_t)(n * n) * 8) == 0, "texts of lines");
    }
    free(table); free(naive); free(texts); free(text);
    free((void *)(uintptr_t)known[0].words); free((void *)(uintptr_t)known[1].words);
}

/* ---- labels anywhere, and differences ---- */

/* A hash of the labels: each in the slot that it names, or in the next free one. */
static label_hash_t hash_of(stream_t *stream, uint64_t *labels, uint64_t n_labels, int width)
{
    const int few = n_labels <= 16 && take(stream, 2), n_bits = few ? 6 : 10 + (int)take(stream, 4);
    label_hash_t hash = {more(stream) | 1, 64 - n_bits, n_labels <= 255 ? 1 : 2, NULL, labels, n_labels};
    if (few && width < 8) hash.multiplier <<= 64 - 8 * width;
    const uint64_t n_slots = (uint64_t)1 << n_bits;
    uint8_t *slots = malloc(n_slots * (size_t)hash.code_width);
    uint64_t *of_slot = malloc(n_slots * 8);
    for (uint64_t slot = 0; slot < n_slots; slot++) of_slot[slot] = n_labels;
    for (uint64_t code = 0; code < n_labels; code++) {
        uint64_t slot = labels[code] * hash.multiplier >> hash.shift;
        while (of_slot[slot] != n_labels) slot = (slot + 1) % n_slots;
        of_slot[slot] = code;
    }
    for (uint64_t slot = 0; slot < n_slots; slot++) {
        const uint16_t code = (uint16_t)of_slot[slot];
        if (hash.code_width == 1) slots[slot] = (uint8_t)code;
        else memcpy(slots + 2 * slot, &code, 2);
    }
    free(of_slot);
    labels[n_labels] = labels[0];
    hash.slots = slots;
    return hash;
}

static void call_look_up(stream_t *stream, memories_t *memories, int compare)
{
    enum { MOST = 300 };
    static const int NUMBERS[] = {1, 2, 5, 15, 16, 17, 100, 255, 256, MOST};
    const int kind = (int)take(stream, 8), wanted = NUMBERS[take(stream, COUNT_OF(NUMBERS))];
    const ptrdiff_t n = how_many(stream) % 20000, start = n ? (ptrdiff_t)take(stream, (uint64_t)n) : 0;
    column_t column = elements(stream, memories, kind, n, 0);
    column.lowest = 0; column.n_labels = ~(uint64_t)0;
    uint64_t labels[MOST + 1], n_labels = 0;
    for (int i = 0; i < wanted; i++) {
        const uint64_t chance = more(stream), place = n ? chance % (uint64_t)n : 0;
        const uint64_t label = compare && n && chance >> 63 ? naive_code(&column, (ptrdiff_t)place) : chance >> 56;
        uint64_t code = 0;
        while (code < n_labels && labels[code] != label) code++;
        if (code == n_labels) labels[n_labels++] = label;
    }
    const label_hash_t hash = hash_of(stream, labels, n_labels, element_width(kind));
    char *codes = malloc((size_t)(n - start) * (size_t)hash.code_width + 1);
    const ptrdiff_t n_unknown = look_up_labels(&column, &hash, start, n, codes);
    EXPECT(n_unknown >= 0 && n_unknown <= n - start, "number of unknown labels");
    ptrdiff_t expected = 0;
    for (ptrdiff_t i = start; i < n && compare; i++) {
        uint64_t code = 0;
        while (code < n_labels && labels[code] != naive_code(&column, i)) code++;
        uint16_t found = (uint8_t)codes[i - start];
        if (hash.code_width == 2) memcpy(&found, codes + 2 * (i - start), 2);
        EXPECT(found == code, "codes of labels");
        expected += code == n_labels;
    }
    EXPECT(!compare || n_unknown == expected, "unknown labels");
    free(codes); free((void *)(uintptr_t)hash.slots);
}

static void any_call(const uint8_t *bytes, size_t size, memories_t *memories, int compare)
{
    stream_t stream = {bytes, bytes + size, 88172645463325252ull};
    memories->n = 0;
    const uint64_t which = take(&stream, 10);
    stream.seed ^= take(&stream, 1 << 24);
    if (which < 3) call_pairs(&stream, memories, compare);
    else if (which == 3) call_moments(&stream, memories, compare);
    else if (which == 4) call_rows(&stream, memories, compare);
    else if (which == 5) call_order(&stream, memories, compare);
    else if (which == 6) call_lines(&stream, memories, compare);
    else if (which == 7) call_look_up(&stream, memories, compare);
    else call_bins(&stream, memories, compare);
    const int n = memories->n;
    LET_GO(memories);
    for (int i = 0; i < n; i++) free((void *)(uintptr_t)memories->all[i].memory);
}
#endif
