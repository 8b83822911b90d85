#include "lent.h"

#include "calls.h"
#include "sim_driver.h"
#include "sim_host.h"
#include "text/text.h"

void lent_devices(struct forms_machine *machine, const struct cuda_driver *real, uint64_t seed,
                  uint32_t devices)
{
    struct sim_driver_options options = {seed, devices, 64u << 20, 2, 0, 0, 0};

    if (real == NULL)
        sim_driver_reset(&options);
    forms_machine_open(machine, real == NULL ? sim_driver_table() : real, 1);
}

void lent_devices_end(struct forms_machine *machine, const struct cuda_driver *real)
{
    forms_machine_close(machine);
    if (real == NULL)
        host_check_driver();
}

struct lent lent_begin(struct forms_machine *machine, const void *bytes, uint64_t count,
                       uint64_t before, uint64_t behind)
{
    struct lent lent = {.machine = machine};

    forms_block_begin(machine, 0, bytes, before, count, behind, &lent.block);
    MUST(call_device(lent.block.address + before, count, &lent.text, NULL));
    return lent;
}

void lent_end(struct lent *lent)
{
    trawl_text_close(lent->text);
    forms_block_end(lent->machine, &lent->block);
}

bool lent_count_lines(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                      struct trawl_text *text, bool is_lent, bool invert, uint64_t max,
                      uint64_t *count)
{
    enum trawl_status status;

    if (is_lent)
        text->stays = true;
    status = ask_count_lines(searcher, plan, text, invert, max, count, NULL);
    if (!is_lent || status != TRAWL_UNSUPPORTED) {
        MUST(status);
        return is_lent;
    }
    text->stays = false;
    MUST(ask_count_lines(searcher, plan, text, invert, max, count, NULL));
    return false;
}
