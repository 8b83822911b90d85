/* used: as it should be. */
#ifndef TRAWL_BASE_USED_H
#define TRAWL_BASE_USED_H

int used(void);

#endif
