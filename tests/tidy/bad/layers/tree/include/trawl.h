/* trawl: the public header takes more than it may. */
#include <stdint.h>
#include <stdio.h>
#include "base/list.h"
