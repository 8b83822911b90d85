/* fiber: stacks that pass control to each other. */
#include "fiber.h"

#include <stdlib.h>
#include <string.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define FIBER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FIBER_ASAN 1
#endif
#endif

#if defined(FIBER_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

/* Saves the callee-saved registers on the stack and the stack pointer in *from, and continues at
 * `to`. */
void fiber_exchange(void **from, void *to);
/* The first code of a new fiber: passes the fiber, which is in a callee-saved register, to
 * fiber_begin. */
void fiber_trampoline(void);
void fiber_begin(struct fiber *fiber);

#if defined(__x86_64__)
__asm__(".text\n"
        ".globl fiber_exchange\n"
        "fiber_exchange:\n"
        "    pushq %rbp\n    pushq %rbx\n    pushq %r12\n"
        "    pushq %r13\n    pushq %r14\n    pushq %r15\n"
        "    movq %rsp, (%rdi)\n    movq %rsi, %rsp\n"
        "    popq %r15\n    popq %r14\n    popq %r13\n"
        "    popq %r12\n    popq %rbx\n    popq %rbp\n"
        "    ret\n"
        ".globl fiber_trampoline\n"
        "fiber_trampoline:\n"
        "    movq %rbx, %rdi\n    xorl %ebp, %ebp\n    call fiber_begin\n    ud2\n");

static void stack_lay_out(struct fiber *fiber)
{
    void **top = (void **)((char *)fiber->stack + fiber->stack_bytes);
    void (*start)(void) = fiber_trampoline;

    top -= 9; /* r15 r14 r13 r12 rbx rbp, the return address, and alignment */
    memset(top, 0, 9 * sizeof *top);
    top[4] = fiber;
    memcpy(&top[6], &start, sizeof start);
    fiber->stack_pointer = top;
}
#elif defined(__aarch64__)
__asm__(".text\n"
        ".globl fiber_exchange\n"
        "fiber_exchange:\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp, #0]\n    stp x21, x22, [sp, #16]\n    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n    stp x27, x28, [sp, #64]\n    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n    stp d14, d15, [sp, #144]\n"
        "    mov x9, sp\n    str x9, [x0]\n    mov sp, x1\n"
        "    ldp x19, x20, [sp, #0]\n    ldp x21, x22, [sp, #16]\n    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n    ldp x27, x28, [sp, #64]\n    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n    ret\n"
        ".globl fiber_trampoline\n"
        "fiber_trampoline:\n"
        "    mov x0, x19\n    mov x29, #0\n    bl fiber_begin\n    brk #1\n");

static void stack_lay_out(struct fiber *fiber)
{
    void **top = (void **)((char *)fiber->stack + fiber->stack_bytes);
    void (*start)(void) = fiber_trampoline;

    top -= 20;
    memset(top, 0, 20 * sizeof *top);
    top[0] = fiber;
    memcpy(&top[11], &start, sizeof start);
    fiber->stack_pointer = top;
}
#else
#define FIBER_UCONTEXT 1
#include <ucontext.h>

static void context_entry(unsigned high, unsigned low)
{
    fiber_begin((struct fiber *)(uintptr_t)(((uint64_t)high << 32) | low));
}

static void stack_lay_out(struct fiber *fiber)
{
    ucontext_t *context = (ucontext_t *)fiber->context;
    uint64_t self = (uint64_t)(uintptr_t)fiber;

    if (getcontext(context) != 0)
        abort();
    context->uc_stack.ss_sp = fiber->stack;
    context->uc_stack.ss_size = (size_t)fiber->stack_bytes;
    context->uc_link = NULL;
    makecontext(context, (void (*)(void))context_entry, 2, (unsigned)(self >> 32), (unsigned)self);
}
#endif

static void exchange(struct fiber *from, struct fiber *to)
{
#if defined(FIBER_UCONTEXT)
    if (from->context == NULL)
        from->context = calloc(1, sizeof(ucontext_t));
    if (from->context == NULL ||
        swapcontext((ucontext_t *)from->context, (ucontext_t *)to->context) != 0)
        abort();
#else
    fiber_exchange(&from->stack_pointer, to->stack_pointer);
#endif
}

int fiber_stack_open(struct fiber *fiber, uint64_t stack_bytes)
{
    uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t bytes = (stack_bytes + page_bytes - 1) / page_bytes * page_bytes;
    void *mapping;

    memset(fiber, 0, sizeof *fiber);
    mapping = mmap(NULL, (size_t)(bytes + page_bytes), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED)
        return 0;
    if (mprotect(mapping, (size_t)page_bytes, PROT_NONE) != 0) {
        (void)munmap(mapping, (size_t)(bytes + page_bytes));
        return 0;
    }
    fiber->stack = (char *)mapping + page_bytes;
    fiber->stack_bytes = bytes;
#if defined(FIBER_UCONTEXT)
    fiber->context = calloc(1, sizeof(ucontext_t));
#endif
    return 1;
}

void fiber_stack_close(struct fiber *fiber)
{
    uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);

    free(fiber->context);
    if (fiber->stack != NULL) {
#if defined(FIBER_ASAN)
        ASAN_UNPOISON_MEMORY_REGION(fiber->stack, fiber->stack_bytes);
#endif
        (void)munmap((char *)fiber->stack - page_bytes, (size_t)(fiber->stack_bytes + page_bytes));
    }
    memset(fiber, 0, sizeof *fiber);
}

void fiber_prepare(struct fiber *fiber, void (*entry)(void *), void *argument)
{
#if defined(FIBER_ASAN)
    /* A fiber that did not reach its end has left AddressSanitizer's red zones in its frames. */
    if (fiber->is_begun)
        ASAN_UNPOISON_MEMORY_REGION(fiber->stack, fiber->stack_bytes);
#endif
    fiber->entry = entry;
    fiber->argument = argument;
    fiber->fake_stack = NULL;
    fiber->is_begun = 1;
    stack_lay_out(fiber);
}

/* Tells AddressSanitizer that `self` runs again, on its own stack. */
static void arrived(struct fiber *self)
{
#if defined(FIBER_ASAN)
    __sanitizer_finish_switch_fiber(self->fake_stack, NULL, NULL);
#else
    (void)self;
#endif
}

#if defined(FIBER_ASAN)
/* Queries the stack's bounds only once per thread, because the C library reads the process's whole
 * memory map. */
static void host_stack(struct fiber *host)
{
    static _Thread_local void *bottom;
    static _Thread_local size_t bytes;
    pthread_attr_t attributes;

    if (bytes == 0 && pthread_getattr_np(pthread_self(), &attributes) == 0) {
        (void)pthread_attr_getstack(&attributes, &bottom, &bytes);
        (void)pthread_attr_destroy(&attributes);
    }
    host->argument = bottom;
    host->stack_bytes = bytes;
}
#endif

static void departing(struct fiber *from, struct fiber *to, int for_ever)
{
#if defined(FIBER_ASAN)
    if (from->stack == NULL)
        host_stack(from);
    __sanitizer_start_switch_fiber(for_ever ? NULL : &from->fake_stack,
                                   to->stack == NULL ? to->argument : to->stack,
                                   (size_t)to->stack_bytes);
#else
    (void)from;
    (void)to;
    (void)for_ever;
#endif
}

void fiber_begin(struct fiber *fiber)
{
    arrived(fiber);
    fiber->entry(fiber->argument);
    abort(); /* entry must leave by fiber_leave */
}

void fiber_switch(struct fiber *from, struct fiber *to)
{
    departing(from, to, 0);
    exchange(from, to);
    arrived(from);
}

void fiber_leave(struct fiber *from, struct fiber *to)
{
    from->is_begun = 0;
#if defined(FIBER_ASAN)
    uint64_t here = (uint64_t)__builtin_frame_address(0) - (uint64_t)from->stack;
    ASAN_UNPOISON_MEMORY_REGION((char *)from->stack + here, from->stack_bytes - here);
#endif
    departing(from, to, 1);
    exchange(from, to);
    abort();
}
