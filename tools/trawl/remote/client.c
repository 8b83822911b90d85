/* client: lets a server search instead of the command. The server answers with frames (output.h).
 *
 * main.c calls client_run before the command opens a file to search. The client sends options,
 * locale and working directory, and copies the frames to standard output and standard error. If no
 * server answers, and the user did not insist on one, the command searches by itself.
 */
#include "trawl/remote/client.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trawl/text/charset.h"
#include "trawl/remote/connection.h"
#include "trawl/job/command_job.h"
#include "trawl/text/message.h"
#include "trawl/job/walk.h"
#include "trawl/options/patterns.h"
#include "trawl/text/whole.h"
#include "trawl/text/base64.h"
#include "trawl/text/sizes.h"
#include "trawl/text/utf8.h"
#include "trawl/options/flag_table.h"
#include "trawl/options/settings.h"

/* ---- JSON ------------------------------------------------------------------------------------ */

/* bytes that are encoded at a time, a multiple of 3 */
#define PART_SIZES 3072u, 6u
#define PART_BYTES SIZE_OR_SMALL(PART_SIZES)

/* Writes bytes, which are valid UTF-8, as a JSON string. */
static void put_json_string(FILE *json, const uint8_t *bytes, size_t bytes_count)
{
    (void)putc('"', json);
    for (size_t i = 0; i < bytes_count; i++)
        if (bytes[i] >= ' ' && bytes[i] != '"' && bytes[i] != '\\')
            (void)putc_unlocked(bytes[i], json);
        else
            (void)fprintf(json, "\\u%04x", bytes[i]);
    (void)putc('"', json);
}

static void put_base64(FILE *json, const uint8_t *bytes, size_t bytes_count)
{
    char digits[BASE64_DIGITS(SIZE_ROOM(PART_SIZES))];

    (void)putc('"', json);
    for (size_t at = 0; at < bytes_count; at += PART_BYTES) {
        size_t count = bytes_count - at < PART_BYTES ? bytes_count - at : PART_BYTES;

        base64_encode(digits, bytes + at, count);
        (void)fwrite(digits, 1, BASE64_DIGITS(count), json);
    }
    (void)putc('"', json);
}

/* Adds a string, or {"bytes":...} in base64 if the bytes are not UTF-8. */
static void put_string(FILE *json, const char *text)
{
    const uint8_t *bytes = (const uint8_t *)text;
    size_t bytes_count = strlen(text);

    if (utf8_is_valid(bytes, bytes_count)) {
        put_json_string(json, bytes, bytes_count);
        return;
    }
    (void)fputs("{\"bytes\":", json);
    put_base64(json, bytes, bytes_count);
    (void)putc('}', json);
}

/* ---- Reading -------------------------------------------------------------------------- */

/* Decodes a message in base64, which a server sends if the message names a file whose name is not
 * UTF-8. False: there is no text. */
static bool decoded_message(const char *digits, const char *end, char *message, size_t room)
{
    const char *quote = memchr(digits, '"', (size_t)(end - digits));
    size_t max = (room - 1) / 3 * 4, count = quote == NULL ? 0 : (size_t)(quote - digits);
    size_t used = 0;

    if (!base64_decode(message, &used, digits, count < max ? count : max))
        return false;
    message[used] = '\0';
    return used > 0;
}

/* Copies the value of the first member `message` in the JSON, truncated to room - 1 bytes. False:
 * there is no such member, or the member has no text. */
static bool client_json_message(const char *json, size_t json_bytes, char *message, size_t room)
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

#define MESSAGE_BYTES_MAX (1u << 20) /* longest message that a server may send */

/* A search on a server: the command's settings, the request's body, and why the search failed. */
struct client {
    const struct settings *settings;
    const struct value_item *operands;
    size_t operand_count;
    bool insists; /* --server was given, so anything that the server does not support is an error */
    char *token;  /* NULL: none; owned */
    FILE *json;   /* writes the body of the request */
    char *body;   /* the body, owned, and its size */
    size_t body_bytes;
    char message[SETTINGS_ERROR_BYTES]; /* why the search failed */
};

/* Static, so that runs without a server do not pay for the pages of this variable. */
static struct connection connection;

/* ---- The request ---------------------------------------------------------------------- */

/* Returns true if the settings require something that a server cannot do; client->message then says
 * what. */
static bool is_unserved(struct client *client)
{
    const struct settings *settings = client->settings;

    for (size_t i = 0; i < settings->arguments.given_count; i++) {
        const struct flag *flag = settings->arguments.given[i].flag;
        const char *why = flag_refusal(flag);

        if (why == NULL || flag->served == SERVED_ASKS || flag->served == SERVED_TEXT)
            continue;
        (void)snprintf(client->message, sizeof client->message, "--server: %s%s is not served: %s",
                       flag->name != NULL ? "--" : "-", flag->name != NULL ? flag->name : "", why);
        return true;
    }
    if (settings->files.names_only ||
        !walk_reads_input(settings, client->operands, client->operand_count))
        return false;
    strcpy(client->message, "--server: standard input is not served: name the files, or use -r");
    return true;
}

static void put_member(struct client *client, const char *name, const char *value)
{
    if (value == NULL)
        return;
    (void)fputs(name, client->json);
    put_string(client->json, value);
}

/* Adds the facts about this process that the server needs instead of its own: standard output,
 * colours, charset. */
static void put_terminal(struct client *client)
{
    const struct surroundings *surroundings = &client->settings->surroundings;

    (void)fprintf(client->json,
                  ",\"environment\":{\"terminal\":%s,\"null\":%s,\"color\":%s,\"charset\":\"%s\"",
                  surroundings->output_is_terminal ? "true" : "false",
                  surroundings->output_is_null ? "true" : "false",
                  surroundings->colors_suit ? "true" : "false",
                  charset_name(surroundings->charset));
    if (surroundings->output_is_regular)
        (void)fprintf(client->json, ",\"file\":[%" PRId64 ",%" PRId64 "]",
                      (int64_t)surroundings->output_device, (int64_t)surroundings->output_inode);
    put_member(client, ",\"grep_colors\":", surroundings->grep_colors);
    put_member(client, ",\"grep_color\":", surroundings->grep_color);
    (void)putc('}', client->json);
}

/* Adds the options that the server accepts to the body. False: out of memory. */
static bool put_options(struct client *client)
{
    const struct settings *settings = client->settings;
    const char *before = ",\"options\":[";

    for (size_t i = 0; i < settings->arguments.given_count; i++) {
        const struct given_option *given = &settings->arguments.given[i];
        const char *name = given->flag->name, letter[] = {given->flag->letter, '\0'};
        char *option = NULL;

        if (flag_refusal(given->flag) != NULL)
            /* is_unserved accepted the option; a separate member of the body has the value. */
            continue;
        if (asprintf(&option, "%s%s%s%s", name != NULL ? "--" : "-", name != NULL ? name : letter,
                     given->value != NULL ? "=" : "", given->value != NULL ? given->value : "") < 0)
            return false;
        put_member(client, before, option);
        free(option);
        before = ",";
    }
    (void)fputs(before[1] == '\0' ? "]" : "", client->json);
    return true;
}

/* Adds a file given with -f to the body. False: the file cannot be read or, unless the client
 * insists, is not regular: reading a pipe would consume bytes that the command may need
 * afterwards. */
static bool put_file(struct client *client, const char *name)
{
    struct stat status;
    size_t bytes_count;
    bool is_text;
    char *bytes;

    if (!client->insists &&
        (strcmp(name, "-") == 0 || stat(name, &status) != 0 || !S_ISREG(status.st_mode)))
        return false;
    if (!whole_read(name, &bytes, &bytes_count, client->message))
        return false;
    is_text = utf8_is_valid((const uint8_t *)bytes, bytes_count);
    put_member(client, "{\"name\":", strcmp(name, "-") == 0 ? "(standard input)" : name);
    (void)fputs(is_text ? ",\"text\":" : ",\"bytes\":", client->json);
    (is_text ? put_json_string : put_base64)(client->json, (const uint8_t *)bytes, bytes_count);
    (void)putc('}', client->json);
    free(bytes);
    return true;
}

/* Adds the strings given with -e or as the first operand, and the contents of the files given with
 * -f. False: a file cannot be read. */
static bool put_patterns(struct client *client)
{
    const struct settings *settings = client->settings;
    const struct value_list *patterns = &settings->patterns;

    (void)fputs(",\"patterns\":[", client->json);
    if (patterns->count == 0 && !settings->files.names_only)
        put_member(client, "", settings->operands.items[0].text);
    for (size_t i = 0; i < patterns->count; i++) {
        (void)fputs(i == 0 ? "" : ",", client->json);
        if (patterns->items[i].kind == VALUE_STRING)
            put_string(client->json, patterns->items[i].text);
        else if (!put_file(client, patterns->items[i].text))
            return false;
    }
    (void)putc(']', client->json);
    return true;
}

/* Makes the request's body. False: client->message says why, but may be empty if the client does
 * not insist. */
static bool make_body(struct client *client)
{
    char *directory = getcwd(NULL, 0);
    bool good;

    if (directory == NULL)
        return message_fail(client->message, "--server: working directory: %s", strerror(errno));
    client->json = open_memstream(&client->body, &client->body_bytes);
    if (client->json == NULL) {
        free(directory);
        return message_exhausted(client->message);
    }
    (void)fprintf(client->json, "{\"format\":\"frames\",\"tg\":%s",
                  client->settings->is_tg ? "true" : "false");
    put_member(client, ",\"directory\":", directory);
    free(directory);
    (void)fputs(",\"paths\":[", client->json);
    for (size_t i = 0; i < client->operand_count; i++)
        put_member(client, i == 0 ? "" : ",", client->operands[i].text);
    (void)putc(']', client->json);
    put_terminal(client);
    good = put_patterns(client);
    if (good && (!put_options(client) || putc('}', client->json) == EOF || ferror(client->json)))
        good = message_exhausted(client->message);
    if (fclose(client->json) != 0 && good)
        good = message_exhausted(client->message);
    return good;
}

/* Reads the token from the file that TRAWL_TOKEN_FILE names; sets no token if the variable is not
 * set. False: client->message says why. */
static bool read_token(struct client *client)
{
    const char *name = getenv("TRAWL_TOKEN_FILE");
    char why[SETTINGS_ERROR_BYTES];

    if (name == NULL || *name == '\0' || whole_read_token(name, &client->token, why))
        return true;
    (void)snprintf(client->message, sizeof client->message, "TRAWL_TOKEN_FILE: %.450s", why);
    return false;
}

/* ---- The answer ----------------------------------------------------------------------- */

/* Prints client->message. Returns the exit status. */
static int client_fail(struct client *client)
{
    message_print("%s", client->message);
    return EXIT_ERROR;
}

/* Copies a frame's bytes to the output as they come. False: the connection ended, or the output
 * cannot be written. */
static bool pass_output(struct output *output, uint32_t bytes_count)
{
    const uint8_t *bytes;
    size_t count = 0;

    for (; bytes_count > 0 && output->error == 0; bytes_count -= (uint32_t)count) {
        count = connection_next(&connection, &bytes, bytes_count);
        if (count == 0)
            return false;
        output_bytes_large(output, bytes, count);
    }
    return output->error == 0;
}

/* Prints a message from the server. False: the connection ended, or the message is too long. */
static bool pass_message(uint32_t bytes_count)
{
    char *text = bytes_count <= MESSAGE_BYTES_MAX ? calloc(1, (size_t)bytes_count + 1) : NULL;
    bool good = text != NULL && connection_take(&connection, text, bytes_count);

    if (good)
        message_print("%s", text);
    free(text);
    return good;
}

/* Handles the frames of an answer. Returns the exit status. */
static int pass_frames(struct client *client, struct output *output)
{
    uint8_t head[5], status = 0;
    bool good = true;

    while (good && connection_take(&connection, head, sizeof head)) {
        uint32_t count =
            head[1] | (uint32_t)head[2] << 8 | (uint32_t)head[3] << 16 | (uint32_t)head[4] << 24;

        switch (head[0]) {
        case OUTPUT_FRAME_OUTPUT:
            good = pass_output(output, count);
            break;
        case OUTPUT_FRAME_MESSAGE:
            good = pass_message(count);
            break;
        case OUTPUT_FRAME_EXIT:
            if (count == 1 && connection_take(&connection, &status, 1) && status <= EXIT_ERROR)
                return status;
            good = false;
            break;
        default:
            strcpy(client->message, "--server: the program at this address is not trawl's server");
            return client_fail(client);
        }
    }
    if (message_is_unread(output))
        return EXIT_SELECTED;
    strcpy(client->message, "--server: the connection ended early");
    if (output->error != 0)
        (void)snprintf(client->message, sizeof client->message, "write error: %s",
                       strerror(output->error));
    return client_fail(client);
}

/* Handles an answer with an HTTP error. Returns the exit status, or CLIENT_NOT_ANSWERED if the
 * command may search by itself. */
static int pass_error(struct client *client)
{
    char text[4096], message[400];
    unsigned status = connection.http_status;
    const uint8_t *bytes;
    size_t used = 0, count = 1;

    while (used < sizeof text &&
           (count = connection_next(&connection, &bytes, sizeof text - used)) > 0) {
        memcpy(text + used, bytes, count);
        used += count;
    }
    if (!client_json_message(text, used, message, sizeof message))
        (void)snprintf(message, sizeof message, "the server answers with the HTTP status %u",
                       status);
    (void)snprintf(client->message, sizeof client->message, "--server: %s", message);
    /* Statuses below 404 are about the request's form and the token, which the user must see. */
    return client->insists || status < 404 ? client_fail(client) : CLIENT_NOT_ANSWERED;
}

/* Connects to the server, sends the request and handles the answer. Returns the exit status, or
 * CLIENT_NOT_ANSWERED if the command may search by itself. */
static int ask_server(struct client *client, const char *address, struct output *output)
{
    int status;

    if (!connection_open(&connection, address)) {
        strcpy(client->message, connection.message);
        return client->insists || connection.bad_address ? client_fail(client)
                                                         : CLIENT_NOT_ANSWERED;
    }
    if (!read_token(client)) {
        status = client_fail(client);
    } else if (!make_body(client)) {
        status = client->insists ? client_fail(client) : CLIENT_NOT_ANSWERED;
    } else if (!connection_begin(&connection, address, client->token, client->body,
                                 client->body_bytes)) {
        strcpy(client->message, connection.message);
        status = client_fail(client);
    } else {
        status = connection.http_status == 200 ? pass_frames(client, output) : pass_error(client);
    }
    connection_close(&connection);
    return status;
}

int client_run(const struct settings *settings, const char *address, struct output *output)
{
    bool pattern_is_operand = settings->patterns.count == 0 && !settings->files.names_only;
    struct client client = {.settings = settings, .insists = settings->server != NULL};
    int status;

    client.operands = settings->operands.items;
    client.operand_count = settings->operands.count;
    if (pattern_is_operand && client.operand_count == 0)
        return CLIENT_NOT_ANSWERED; /* without a string the command prints its usage */
    if (pattern_is_operand) {
        client.operands++;
        client.operand_count--;
    }
    if (is_unserved(&client))
        return client.insists ? client_fail(&client) : CLIENT_NOT_ANSWERED;
    status = ask_server(&client, address, output);
    if (status == EXIT_NOT_SELECTED && !settings->quiet && !settings->no_messages)
        patterns_hint_files(settings, client.operands, client.operand_count);
    free(client.body);
    free(client.token);
    return status;
}
