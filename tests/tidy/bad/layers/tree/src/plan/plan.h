/* plan: reads a file and starts a thread. */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>

#include "trawl.h"
#include "base/list.h"
