/* trawl: what an outsider sees. */

struct trawl_plan; /* opaque */
TRAWL_API int trawl_bare(void);

/* Documented and tested. */
TRAWL_API int trawl_good(void);
TRAWL_API void trawl_paired(struct trawl_plan *plan);

/* Documented; its name is only part of another in the tests. */
TRAWL_API TRAWL_CHECKED enum trawl_status trawl_untested(
    struct trawl_plan *plan);

/* A note about something else. */

TRAWL_API int trawl_alone(void);
