/* engine_auto: both engines behind one table. */
#ifndef TRAWL_ENGINE_AUTO_H
#define TRAWL_ENGINE_AUTO_H

#include "engine.h"

/* open never fails for want of a GPU. */
extern const struct engine_ops engine_auto;

/* For tests, before any is open: how long a search takes before it asks for a GPU. */
void engine_auto_open_after(int64_t ns);

#endif
