/* BLEU's counts of one segment: lengths, n-grams, and matches clipped over all references.
 *
 * The matches of an n-gram are clipped at its largest count in any one reference. If a reference has an n-gram c times,
 * it marks the first c positions of that n-gram in the hypothesis. So the number of positions marked by at least one
 * reference is the clipped count. */
#ifndef CHRFECT_CLIP_H
#define CHRFECT_CLIP_H

#include "pair.h"

#define MAX_MARKS ((int64_t)1 << 28)
#define TOO_MANY_MARKS (-5)     /* the readable kernel has to count the segment */
#define MARK_STEPS 8            /* quick steps that an n-gram without masks costs */

/* A hypothesis; its references are added one after another. */
typedef struct {
    Table table;
    int64_t length;             /* number of hypothesis words */
    uint32_t *ids, unknown;     /* ids of the hypothesis words; the id of all other words */
    int words, order, level;    /* words of a mask, 0 if masks are not used */
    uint64_t *masks, *used, *marks;
    uint8_t *marked;            /* without masks: for each position and order, whether it is marked */
    int64_t closest;            /* the reference length closest to the hypothesis length */
} Clip;

/* A row has the two lengths, then for each order the hypothesis n-grams and the matches. */
static void write_counts(int64_t *row, int64_t length, int64_t reference, int order, const int64_t *matches)
{
    row[0] = length;
    row[1] = reference;
    for (int n = 0; n < order; n++) {
        row[2 + 2 * n] = length > n ? length - n : 0;
        row[3 + 2 * n] = matches[n];
    }
}

/* Count a numbered hypothesis and reference. */
static int count_one_reference(Workspace *ws, const Ids *ids, int order, int level, int64_t *row)
{
    int64_t *matches = reserve(&ws->matches, (size_t)order * sizeof *matches);
    int status = matches ? match_ids(ws, ids, order, level, matches) : NO_MEMORY;
    if (!status) write_counts(row, ids->hyp_length, ids->ref_length, order, matches);
    return status;
}

/* Count a text against one reference. The tokens of `char` are the characters of chrF. */
static int count_bleu_pair(Workspace *ws, const Text *hyp, const Text *ref, int how, int order, int level, int64_t *row)
{
    Ids ids;
    if (hyp->length > MAX_LENGTH || ref->length > MAX_LENGTH) return TOO_LONG;
    int status = how == CHAR ? number_characters(ws, hyp, ref, 0, level, &ids) : number_words(ws, hyp, ref, how, level, &ids);
    return status ? status : count_one_reference(ws, &ids, order, level, row);
}

static int start_clip(Workspace *ws, Tokens *hyp, int order, int level, Clip *clip)
{
    int64_t length = hyp->number;
    *clip = (Clip){.length = length, .order = order, .level = level, .closest = -1, .words = words_for(length, order)};
    clip->ids = reserve(&ws->hyp, (size_t)length * sizeof *clip->ids);
    if (!clip->ids || make_table(ws, length, &clip->table)) return NO_MEMORY;
    int status = number_tokens(ws, &clip->table, hyp, level, clip->ids);
    if (status) return status;
    clip->unknown = clip->table.count;
    if (length == 0) return 0;
    if (!clip->words) {
        if (length > MAX_MARKS / order) return TOO_MANY_MARKS;
        clip->marked = reserve(&ws->codes, (size_t)length * order);
        if (!clip->marked) return NO_MEMORY;
        memset(clip->marked, 0, (size_t)length * order);
        return 0;
    }
    size_t masks = ((size_t)clip->unknown + 1) * clip->words, marks = (size_t)order * clip->words;
    clip->masks = reserve(&ws->masks, masks * sizeof *clip->masks);
    clip->used = reserve(&ws->unused, 2 * marks * sizeof *clip->used);
    if (!clip->masks || !clip->used) return NO_MEMORY;
    clip->marks = clip->used + marks;
    memset(clip->masks, 0, masks * sizeof *clip->masks);
    memset(clip->marks, 0, marks * sizeof *clip->marks);
    fill_masks(clip->masks, clip->words, clip->ids, length);
    return 0;
}

typedef struct {
    uint64_t key;       /* the id of the n-gram without its last word, and the id of the last word */
    uint32_t id, left;  /* 1 + the id; number of reference occurrences that have not marked a position yet */
} Entry;

ALWAYS_INLINE Entry *find_entry(Entry *entries, size_t last, uint64_t key)
{
    size_t at = fold(key ^ secret, 0xD6E8FEB86659FD93u) & last;
    while (entries[at].id && entries[at].key != key) at = (at + 1) & last;
    return entries + at;
}

/* A table of n-grams in a buffer, at most half full. */
typedef struct {
    Buffer *buffer;
    Entry *entries;
    size_t last;
} Entries;

static int empty_entries(Entries *table, Buffer *buffer, size_t room)
{
    *table = (Entries){buffer, reserve(buffer, room * sizeof(Entry)), room - 1};
    if (!table->entries) return NO_MEMORY;
    memset(table->entries, 0, room * sizeof(Entry));
    return 0;
}

static int double_entries(Entries *table)
{
    Buffer larger = {NULL, 0};
    Entries doubled;
    if (empty_entries(&doubled, &larger, 2 * (table->last + 1))) return NO_MEMORY;
    for (size_t i = 0; i <= table->last; i++)
        if (table->entries[i].id) *find_entry(doubled.entries, doubled.last, table->entries[i].key) = table->entries[i];
    free(table->buffer->data);
    *table->buffer = larger;
    *table = (Entries){table->buffer, doubled.entries, doubled.last};
    return 0;
}

/* Mark positions without masks: for each order, number the reference n-grams and look up those of the hypothesis. */
static int mark_long(Workspace *ws, Clip *clip, const uint32_t *ids, int64_t length)
{
    const uint32_t none = UINT32_MAX;
    int64_t own = clip->length;
    size_t room = 16;
    while (room < 2 * (size_t)length && room < 1 << 16) room *= 2;
    Entries table;
    uint32_t *of_ref = reserve(&ws->spare, (size_t)(length + own) * sizeof *of_ref), *of_hyp = of_ref + length;
    if (!of_ref || empty_entries(&table, &ws->keys, room)) return NO_MEMORY;
    memset(of_ref, 0, (size_t)(length + own) * sizeof *of_ref);
    for (int n = 0, more = 1; n < clip->order && more; n++) {
        uint32_t count = 0;
        more = 0;
        if (n) memset(table.entries, 0, (table.last + 1) * sizeof(Entry));
        if (stop_after_steps(ws, MARK_STEPS * (length + own))) return INTERRUPTED;
        STOPPABLE_FOR(ws, j, 0, length, INTERRUPTED) {
            if (of_ref[j] == none) continue;
            if (j + n >= length || ids[j + n] == clip->unknown) { of_ref[j] = none; continue; }
            uint64_t key = (uint64_t)of_ref[j] << 32 | ids[j + n];
            Entry *entry = find_entry(table.entries, table.last, key);
            if (!entry->id && 2 * (size_t)count > table.last) {
                if (double_entries(&table)) return NO_MEMORY;
                entry = find_entry(table.entries, table.last, key);
            }
            if (!entry->id) *entry = (Entry){key, ++count, 0};
            entry->left++;
            of_ref[j] = entry->id;
        }
        STOPPABLE_FOR(ws, i, 0, own, INTERRUPTED) {
            if (of_hyp[i] == none) continue;
            Entry *entry = i + n < own ? find_entry(table.entries, table.last, (uint64_t)of_hyp[i] << 32 | clip->ids[i + n]) : NULL;
            if (!entry || !entry->id) { of_hyp[i] = none; continue; }
            of_hyp[i] = entry->id;
            more = 1;
            if (!entry->left) continue;
            entry->left--;
            clip->marked[i * clip->order + n] = 1;
        }
    }
    return 0;
}

/* Mark the positions of the n-grams of one more reference. */
static int add_reference(Workspace *ws, Clip *clip, Tokens *ref)
{
    int64_t distance = ref->number - clip->length, before = clip->closest - clip->length;
    if (distance < 0) distance = -distance;
    if (before < 0) before = -before;
    if (clip->closest < 0 || distance < before || (distance == before && ref->number < clip->closest)) clip->closest = ref->number;
    if (!ref->number || !clip->length) return 0;
    uint32_t *ids = reserve(&ws->ref, (size_t)ref->number * sizeof *ids);
    if (!ids) return NO_MEMORY;
    int status = look_up_tokens(ws, &clip->table, ref, clip->level, ids);
    if (status) return status;
    if (!clip->words) return mark_long(ws, clip, ids, ref->number);
    status = use_places(clip->masks, ids, ref->number, clip->order, clip->used, clip->words, ws);
    for (size_t i = 0; i < (size_t)clip->order * clip->words; i++) clip->marks[i] |= clip->used[i];
    return status;
}

static int finish_clip(Workspace *ws, const Clip *clip, int64_t *row)
{
    int64_t length = clip->length, *matches = reserve(&ws->matches, (size_t)clip->order * sizeof *matches);
    if (!matches) return NO_MEMORY;
    memset(matches, 0, (size_t)clip->order * sizeof *matches);
    for (int n = 0; n < clip->order; n++)
        for (int w = 0; w < clip->words; w++) matches[n] += count_bits(clip->marks[(size_t)n * clip->words + w]);
    if (!clip->words) {
        STOPPABLE_FOR(ws, i, 0, length, INTERRUPTED)
            for (int n = 0; n < clip->order; n++) matches[n] += clip->marked[i * clip->order + n];
    }
    write_counts(row, length, clip->closest, clip->order, matches);
    return 0;
}

/* Make a word of a whole string. */
static void take_word(Word *word, const Text *text)
{
    uint8_t copy[16] = {0};
    size_t size = (size_t)text->length * text->width;
    if (size < 16) memcpy(copy, text->data, size);
    make_word(word, text->data, size, text->width, size < 16 ? copy : text->data);
}

#endif
