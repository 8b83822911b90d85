/* driver: loads libcuda.so.1, and reports its errors */
#include "cuda/driver.h"

#include <dlfcn.h>
#include <string.h>

#include "base/fault.h"

static const struct cuda_driver *replacement;

static const struct {
    const char *symbol;
    size_t offset; /* offset of the member in struct cuda_driver */
} rows[] = {
#define X(member, symbol, arguments) {symbol, offsetof(struct cuda_driver, member)},
#include "cuda/driver.def"
#undef X
};

const struct cuda_symbols cuda_symbols = {
#define X(member, symbol, arguments) symbol,
#include "cuda/driver.def"
#undef X
};

static enum trawl_status find_functions(struct cuda_driver *driver, struct trawl_error *error)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        void *address = dlsym(driver->library, rows[i].symbol);

        if (address == NULL)
            return TRAWL_FAIL(error, ENGINE, "libcuda.so.1 lacks %s: the NVIDIA driver is too old",
                              rows[i].symbol);
        memcpy((char *)driver + rows[i].offset, &address, sizeof address);
    }
    /* a symbol that only the tests' simulated driver has */
    driver->simulated = dlsym(driver->library, "trawl_simulated_driver") != NULL;
    return TRAWL_OK;
}

static enum trawl_status check_version(const struct cuda_driver *driver, struct trawl_error *error)
{
    int version = 0;

    TRAWL_TRY(
        cuda_check(driver, driver->driver_version(&version), "cuDriverGetVersion", NULL, error));
    if (version < CUDA_DRIVER_VERSION_MIN)
        return TRAWL_FAIL(error, ENGINE, "the NVIDIA driver is for CUDA %d.%d; %d.%d is needed",
                          version / 1000, version % 1000 / 10, CUDA_DRIVER_VERSION_MIN / 1000,
                          CUDA_DRIVER_VERSION_MIN % 1000 / 10);
    return TRAWL_OK;
}

enum trawl_status cuda_driver_open(struct cuda_driver *driver, struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;

    memset(driver, 0, sizeof *driver);
    if (replacement != NULL) {
        *driver = *replacement;
        return check_version(driver, error);
    }
    if (!fault_hit())
        driver->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (driver->library == NULL)
        return TRAWL_FAIL(error, ENGINE, "no NVIDIA driver: libcuda.so.1 could not be opened");
    TRAWL_TRY_DONE(find_functions(driver, error));
    TRAWL_TRY_DONE(check_version(driver, error));
done:
    if (status != TRAWL_OK)
        cuda_driver_close(driver);
    return status;
}

void cuda_driver_close(struct cuda_driver *driver)
{
    if (driver->library != NULL)
        (void)dlclose(driver->library);
    memset(driver, 0, sizeof *driver);
}

void cuda_driver_replace(const struct cuda_driver *driver)
{
    replacement = driver;
}

enum trawl_status cuda_check(const struct cuda_driver *driver, int code, const char *symbol,
                             const char *device_name, struct trawl_error *error)
{
    const char *name = NULL, *text = NULL;
    enum trawl_status status = code == CUDA_CODE_OUT_OF_MEMORY ? TRAWL_MEMORY : TRAWL_DEVICE;

    if (code == CUDA_CODE_OK)
        return TRAWL_OK;
    if (driver->error_name(code, &name) != CUDA_CODE_OK || name == NULL)
        name = "unknown error";
    if (driver->error_text(code, &text) != CUDA_CODE_OK || text == NULL)
        text = "no text";
    (void)error_fill(error, status, 0, "%s%s%s: %s (%s)", device_name == NULL ? "" : device_name,
                     device_name == NULL ? "" : ": ", symbol, text, name);
    if (error != NULL)
        error->driver_code = code;
    return status;
}
