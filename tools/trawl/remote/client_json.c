/* client_json: writes a client's JSON, and finds the message in an error's JSON. Written by hand,
 * since loading a library would take longer than many searches by a server. */
#include "trawl/remote/client_json.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "trawl/text/base64.h"
#include "trawl/text/grow.h"
#include "trawl/text/sizes.h"
#include "trawl/text/utf8.h"

/* bytes that are encoded at a time, a multiple of 3 */
#define PART_BYTES SIZE_OR_SMALL(3072u, 6u)

static void put_bytes(struct client_json *json, const void *bytes, size_t bytes_count)
{
    json->exhausted |= !GROW(json->bytes, json->capacity, 1024, json->used + bytes_count);
    if (json->exhausted)
        return;
    memcpy(json->bytes + json->used, bytes, bytes_count);
    json->used += bytes_count;
}

void client_json_put(struct client_json *json, const char *text)
{
    put_bytes(json, text, strlen(text));
}

/* Writes bytes, which are valid UTF-8, as a JSON string. */
static void put_text(struct client_json *json, const uint8_t *bytes, size_t bytes_count)
{
    size_t plain = 0; /* begin of the bytes that need no escape and are not yet written */

    put_bytes(json, "\"", 1);
    for (size_t i = 0; i < bytes_count; i++) {
        char escape[8];
        int count;

        if (bytes[i] >= ' ' && bytes[i] != '"' && bytes[i] != '\\')
            continue;
        count = snprintf(escape, sizeof escape, "\\u%04x", bytes[i]);
        put_bytes(json, bytes + plain, i - plain);
        put_bytes(json, escape, (size_t)count);
        plain = i + 1;
    }
    put_bytes(json, bytes + plain, bytes_count - plain);
    put_bytes(json, "\"", 1);
}

static void put_base64(struct client_json *json, const uint8_t *bytes, size_t bytes_count)
{
    char digits[BASE64_DIGITS(PART_BYTES)];

    put_bytes(json, "\"", 1);
    for (size_t at = 0; at < bytes_count; at += PART_BYTES) {
        size_t count = bytes_count - at < PART_BYTES ? bytes_count - at : PART_BYTES;

        base64_encode(digits, bytes + at, count);
        put_bytes(json, digits, BASE64_DIGITS(count));
    }
    put_bytes(json, "\"", 1);
}

void client_json_string(struct client_json *json, const void *bytes, size_t bytes_count)
{
    if (utf8_is_valid(bytes, bytes_count)) {
        put_text(json, bytes, bytes_count);
        return;
    }
    client_json_put(json, "{\"bytes\":");
    put_base64(json, bytes, bytes_count);
    client_json_put(json, "}");
}

void client_json_file(struct client_json *json, const char *name, const void *bytes,
                      size_t bytes_count)
{
    bool valid = utf8_is_valid(bytes, bytes_count);

    client_json_put(json, "{\"name\":");
    client_json_string(json, name, strlen(name));
    client_json_put(json, valid ? ",\"text\":" : ",\"bytes\":");
    (valid ? put_text : put_base64)(json, bytes, bytes_count);
    client_json_put(json, "}");
}

/* ---- Reading -------------------------------------------------------------------------- */

/* Decodes a message in base64, which a server sends if the message names a file whose name is not
 * UTF-8. False: there is no text. */
static bool decoded_message(const char *digits, const char *end, char *message, size_t room)
{
    const char *quote = memchr(digits, '"', (size_t)(end - digits));
    size_t most = (room - 1) / 3 * 4, count = quote == NULL ? 0 : (size_t)(quote - digits);
    size_t used = 0;

    if (!base64_decode(message, &used, digits, count < most ? count : most))
        return false;
    message[used] = '\0';
    return used > 0;
}

bool client_json_message(const char *json, size_t json_bytes, char *message, size_t room)
{
    static const char key[] = "\"message\":", letters[] = "nrtbf", meanings[] = "\n\r\t\b\f";
    static const char coded[] = "{\"bytes\":\"";
    const char *end = json + json_bytes, *at = memmem(json, json_bytes, key, strlen(key));
    size_t used = 0;

    if (at == NULL)
        return false;
    at += strlen(key);
    while (at < end && *at == ' ')
        at++;
    if ((size_t)(end - at) > strlen(coded) && memcmp(at, coded, strlen(coded)) == 0)
        return decoded_message(at + strlen(coded), end, message, room);
    if (at == end || *at++ != '"')
        return false;
    for (; at < end && *at != '"' && used + 1 < room; at++) {
        const char *letter = "";

        if (*at != '\\' || end - at < 2) {
            message[used++] = *at == '\0' ? '?' : *at;
            continue;
        }
        at++;
        letter = *at == '\0' ? NULL : strchr(letters, *at);
        if (*at == 'u' && end - at >= 5) {
            char digits[5] = {at[1], at[2], at[3], at[4], '\0'};
            unsigned long number = strtoul(digits, NULL, 16);

            message[used++] = number > 0 && number < 0x80 ? (char)number : '?';
            at += 4;
        } else {
            message[used++] = letter != NULL ? meanings[letter - letters] : *at;
        }
    }
    message[used] = '\0';
    return used > 0;
}
