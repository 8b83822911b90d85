/* fiber: stacks that pass control to each other. The simulator runs each thread of a kernel as a
 * fiber.
 *
 * x86-64 and AArch64 switch in a few instructions (a block of 256 threads switches a few thousand
 * times per tile); other processors use ucontext, at a system call per switch. AddressSanitizer is
 * told about each switch.
 */
#ifndef TRAWL_TESTS_SIM_FIBER_H
#define TRAWL_TESTS_SIM_FIBER_H

#include <stdint.h>

struct fiber {
    void *stack; /* NULL: the host thread's own */
    uint64_t stack_bytes;
    void *stack_pointer;
    void *fake_stack; /* a stack that AddressSanitizer keeps for the fiber */
    int is_begun;     /* fiber_prepare was called, and fiber_leave was not called since */
    void *context;    /* ucontext_t where there is no hand-made switch */
    void (*entry)(void *argument);
    void *argument;
};

/* Allocates a stack with a guard page below the stack. Returns 0 if there is no memory. */
int fiber_stack_open(struct fiber *fiber, uint64_t stack_bytes);
void fiber_stack_close(struct fiber *fiber);

/* Prepares the fiber so that the next switch to it calls entry(argument), which must not return,
 * but end with fiber_leave. The stack's previous contents are lost. */
void fiber_prepare(struct fiber *fiber, void (*entry)(void *), void *argument);

/* Runs `to` until some fiber switches back to `from`. */
void fiber_switch(struct fiber *from, struct fiber *to);

/* The last switch of a fiber, whose stack is dead afterwards. Not marked noreturn: otherwise the
 * compiler would make AddressSanitizer clear the stack's shadow each time, after a system call. */
void fiber_leave(struct fiber *from, struct fiber *to);

#endif
