// Writes the log as JSON lines, bounded and without secrets.

import { type DestinationStream, destination, type Logger, pino } from "pino";
import type { Clock } from "#core/clock.ts";

/**
 * Writes lines for the operator: a sentence, and the context as data.
 *
 * Bytes from outside (a contract's name, an upstream's error) go into `context`, which the
 * implementation bounds and redacts; never into the sentence.
 */
export type Log = {
	debug: Level;
	info: Level;
	warn: Level;
	error: Level;
	/** Returns the log with `context` added to every line. */
	with(context: Record<string, unknown>): Log;
};

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

export type CreateLogOptions = {
	level: LogLevel;
	clock: Clock;
	/** Values from configuration that must never be written, in none of their forms. */
	secrets?: readonly string[];
	/** The destination of lines; standard output by default. */
	to?: DestinationStream;
};

type Level = (message: string, context?: Record<string, unknown>) => void;

type Budget = { values: number; text: number; path: Set<object>; secrets: readonly string[] };

type Wrapping = { bound: Record<string, unknown>; secrets: readonly string[] };

/** `scheme://user:password@host`. Greedy to the last `@` before a slash: passwords contain `@`. */
const URL_CREDENTIALS = /([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#"'<>]{1,512}@/gi;

/** Matches authorization values that an HTTP client copied into a sentence. */
const AUTHORIZATION = /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi;

/**
 * `apiKey=…`, `"secret":"…"`, `?token=…` inside a text, as in upstream errors and query strings.
 * A bare `token: …` stays: in this product it is the name of an asset.
 */
const NAMED_SECRET =
	/((?:api[_-]?key|secret|(?:access|refresh|session|auth|id|csrf)[_-]?token|[?&]token|password|passwd|private[_-]?key)["']?\s?[=:]\s?["']?)([^\s"'&,;}]{6,})/gi;

/** Node providers put the key into the path (`/v2/<key>`, `/v3/<key>`), and viem quotes the URL. */
const KEY_IN_PATH = /(\/v[1-9]\/)[A-Za-z0-9_-]{20,}(?=$|[/?#\s"'),])/g;

/** An address or a contract is no secret, however its field is called. */
const ADDRESS = /^0x[0-9a-f]{40}$/i;

const REDACTED = "[redacted]";

/** Shorter "secrets" (an empty or a one letter setting) would blank out ordinary words. */
const SECRET_LENGTH_MIN = 6;

/**
 * Limits one string, in characters. A hostile contract's revert text is 4 MB (measured through
 * viem).
 */
const STRING_LENGTH_MAX = 2_048;
/** Read beyond the cut before redacting, so that a secret across the cut is seen whole. */
const STRING_MARGIN = 1_024;
const DEPTH_MAX = 6;
const ENTRIES_MAX = 50;
/** Values in one line altogether: depth and entries alone would allow 50^6. */
const VALUES_MAX = 500;
const TEXT_TOTAL_MAX = 32_768;

/** Fields whose value is never written, compared in lower case without `-` and `_`. */
const SECRET_KEY =
	/(authorization|apikey|secret|password|passwd|passphrase|cookie|privatekey|mnemonic|seedphrase|signingkey|credentials?|(^|[a-z])token|jwt)$/;

/**
 * The least length of a part of a PEM text, or of the part behind a prefix such as `whsec_`, that
 * is treated as a secret.
 */
const PART_LENGTH_MIN = 16;

const STDOUT = 1;
/** Limits the sentence, in characters: ours are short, but one may be built from foreign text. */
const MESSAGE_LENGTH_MAX = 2_048;
/** Fields that pino itself writes: a context of the same name would make a line with two. */
const RESERVED = new Set(["time", "level", "message"]);

const nothing = () => {};

/** Says nothing. For tests and for command line tools whose output is their answer. */
export const silentLog: Log = {
	debug: nothing,
	info: nothing,
	warn: nothing,
	error: nothing,
	with: () => silentLog,
};

/**
 * Makes the log of the running service: one JSON object a line, with an ISO time.
 *
 * Written synchronously: the line that explains a crash is the one that a buffer would lose.
 */
export function createLog(options: CreateLogOptions): Log {
	const { level, clock, secrets = [], to = destination({ dest: STDOUT, sync: true }) } = options;
	const logger = pino(
		{
			level,
			base: null,
			messageKey: "message",
			timestamp: () => `,"time":"${new Date(clock.nowMs()).toISOString()}"`,
			formatters: { level: (label) => ({ level: label }) },
		},
		to,
	);
	return wrap(logger, { bound: {}, secrets: secretForms(secrets) });
}

/**
 * Returns a copy of any value that is safe to write: plain JSON, bounded in every direction,
 * without secrets. It never throws and never calls the value's own `toJSON`.
 */
export function loggable(value: unknown, options: { secrets?: readonly string[] } = {}): unknown {
	return copy(value, 0, {
		values: VALUES_MAX,
		text: TEXT_TOTAL_MAX,
		path: new Set(),
		secrets: options.secrets ?? [],
	});
}

/**
 * Returns every form in which a secret may come back, longest first: as it is, percent-encoded as
 * URLs, forms and our own code do it, decoded, in JSON, without its prefix, and line by line.
 *
 * Made once for a log. An upstream quotes the URL it was asked for, and there the secret has
 * another form than in the configuration.
 */
export function secretForms(secrets: readonly string[]): string[] {
	const forms = secrets.flatMap(withParts).flatMap(encodings);
	// A shorter one may be a part of a longer one, of which the rest would stay.
	return [...new Set(forms)].sort((one, other) => other.length - one.length);
}

/**
 * Removes from a text what looks like a secret, and each of `secrets` wherever it occurs.
 *
 * The patterns are the second wall; the first is that configuration hands its secrets in, in all
 * their forms (`secretForms`), so that a key is found in whatever shape an upstream echoes it.
 */
export function redactText(text: string, secrets: readonly string[] = []): string {
	let redacted = text;
	for (const secret of secrets) {
		if (secret.length >= SECRET_LENGTH_MIN) redacted = redacted.replaceAll(secret, REDACTED);
	}
	return redacted
		.replace(URL_CREDENTIALS, `$1${REDACTED}@`)
		.replace(AUTHORIZATION, `$1 ${REDACTED}`)
		.replace(NAMED_SECRET, (whole, name: string, value: string) =>
			ADDRESS.test(value) ? whole : `${name}${REDACTED}`,
		)
		.replace(KEY_IN_PATH, `$1${REDACTED}`);
}

function wrap(logger: Logger, wrapping: Wrapping): Log {
	const { bound, secrets } = wrapping;
	const at = (level: Exclude<LogLevel, "silent">) => {
		return (message: string, context?: Record<string, unknown>) => {
			// Copying costs more than writing, so it is not done for lines nobody asked for.
			if (!logger.isLevelEnabled(level)) return;
			const fields = { ...bound, ...fieldsOf(context, secrets) };
			logger[level](fields, sentence(message, secrets));
		};
	};
	return {
		debug: at("debug"),
		info: at("info"),
		warn: at("warn"),
		error: at("error"),
		with: (context) =>
			wrap(logger, { bound: { ...bound, ...fieldsOf(context, secrets) }, secrets }),
	};
}

function fieldsOf(
	context: Record<string, unknown> | undefined,
	secrets: readonly string[],
): Record<string, unknown> {
	if (context === undefined) return {};
	const copied = loggable(context, { secrets });
	if (typeof copied !== "object" || copied === null) return { context: copied };
	// From entries, because assigning a field named `__proto__` would set the prototype instead.
	return Object.fromEntries(
		Object.entries(copied).map(([name, value]) => [RESERVED.has(name) ? `${name}_` : name, value]),
	);
}

/**
 * Hides secrets in a sentence. It is cut twice: patterns must not run over four megabytes, nor see
 * half a secret at the end.
 */
function sentence(message: string, secrets: readonly string[]): string {
	const redacted = redactText(message.slice(0, 2 * MESSAGE_LENGTH_MAX), secrets);
	return redacted.slice(0, MESSAGE_LENGTH_MAX).toWellFormed();
}

function copy(value: unknown, depth: number, budget: Budget): unknown {
	budget.values -= 1;
	if (budget.values < 0) return "[cut]";
	switch (typeof value) {
		case "string":
			return text(value, budget);
		case "number":
			return Number.isFinite(value) ? value : String(value);
		case "bigint":
			return text(value.toString(), budget);
		case "boolean":
		case "undefined":
			return value;
		case "symbol":
			return text(value.toString(), budget);
		case "function":
			return "[function]";
		case "object":
			return value === null ? null : copyObject(value, depth, budget);
	}
}

function text(value: string, budget: Budget, lengthMax = STRING_LENGTH_MAX): string {
	const allowed = Math.max(0, Math.min(lengthMax, budget.text));
	const redacted = redactText(value.slice(0, allowed + STRING_MARGIN), budget.secrets);
	const kept = redacted.slice(0, allowed).toWellFormed();
	budget.text -= kept.length;
	const lost = value.length > allowed + STRING_MARGIN || redacted.length > allowed;
	return lost ? `${kept}… [${value.length} characters]` : kept;
}

function copyObject(value: object, depth: number, budget: Budget): unknown {
	if (budget.path.has(value)) return "[cycle]";
	if (depth >= DEPTH_MAX) return "[deep]";
	budget.path.add(value);
	try {
		return shape(value, depth, budget);
	} catch {
		// A getter or a proxy of somebody else's threw.
		return "[unreadable]";
	} finally {
		budget.path.delete(value);
	}
}

function shape(value: object, depth: number, budget: Budget): unknown {
	if (value instanceof Date) {
		return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
	}
	if (value instanceof URL) return text(value.href, budget);
	if (value instanceof Error) return entries(errorFields(value), depth, budget);
	if (ArrayBuffer.isView(value)) return `[${value.constructor.name} of ${value.byteLength} bytes]`;
	if (value instanceof Map) return entries([...take(value.entries())], depth, budget, value.size);
	if (value instanceof Set) return items([...take(value)], depth, budget, value.size);
	if (Array.isArray(value)) return items(value.slice(0, ENTRIES_MAX), depth, budget, value.length);
	return entries(ownFields(value), depth, budget);
}

function entries(
	fields: [unknown, unknown][],
	depth: number,
	budget: Budget,
	length = fields.length,
): Record<string, unknown> {
	const copied: Record<string, unknown> = Object.create(null);
	for (const [name, field] of fields.slice(0, ENTRIES_MAX)) {
		const key = text(String(name), budget, 200);
		copied[key] = isSecret(key, field) ? "[redacted]" : copy(field, depth + 1, budget);
	}
	if (length > ENTRIES_MAX) copied["[more]"] = length - ENTRIES_MAX;
	return copied;
}

function isSecret(key: string, value: unknown): boolean {
	if (value === null || value === undefined || typeof value === "boolean") return false;
	if (typeof value === "string" && ADDRESS.test(value)) return false;
	return SECRET_KEY.test(key.toLowerCase().replaceAll(/[-_]/g, ""));
}

/**
 * Lists an error's own fields: Fault, viem and pg errors keep what matters in own fields (`code`,
 * `meta`, `detail`).
 */
function errorFields(error: Error): [string, unknown][] {
	const fields: [string, unknown][] = [
		["type", error.name],
		["message", error.message],
		["stack", error.stack],
	];
	const standard = new Set(["name", "message", "stack", "cause"]);
	for (const key of Object.keys(error)) {
		if (!standard.has(key)) fields.push([key, read(error, key)]);
	}
	if (error.cause !== undefined) fields.push(["cause", error.cause]);
	if (error instanceof AggregateError) fields.push(["errors", error.errors]);
	return fields;
}

function read(value: object, key: string): unknown {
	try {
		return Reflect.get(value, key);
	} catch {
		return "[unreadable]";
	}
}

function* take<Item>(iterable: Iterable<Item>): Generator<Item> {
	let taken = 0;
	for (const item of iterable) {
		if (taken >= ENTRIES_MAX) return;
		taken += 1;
		yield item;
	}
}

function items(list: unknown[], depth: number, budget: Budget, length: number): unknown[] {
	const copied = list.map((item) => copy(item, depth + 1, budget) ?? null);
	if (length > list.length) copied.push(`[${length - list.length} more]`);
	return copied;
}

/** Lists own enumerable fields; a getter that throws costs its own field only. */
function ownFields(value: object): [string, unknown][] {
	return Object.keys(value).map((key) => [key, read(value, key)]);
}

function withParts(secret: string): string[] {
	const [, behindPrefix = ""] = /^[a-z][a-z-]{1,15}[_:](.*)$/is.exec(secret) ?? [];
	const parts = [behindPrefix, ...secret.split(/\s+/)];
	return [secret, ...parts.filter(({ length }) => length >= PART_LENGTH_MIN)];
}

function encodings(secret: string): string[] {
	const text = secret.toWellFormed();
	const decoded = decode(text);
	return [secret, decoded].flatMap((form) => {
		const component = encodeURIComponent(form.toWellFormed());
		const url = new URL("http://host/");
		url.password = form;
		const encoded = [component, url.password, encodeURI(form.toWellFormed())];
		const inForm = new URLSearchParams({ a: form }).toString().slice(2);
		const lower = [...encoded, inForm].map((one) =>
			one.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()),
		);
		return [form, ...encoded, inForm, ...lower, JSON.stringify(form).slice(1, -1)];
	});
}

function decode(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		// A "%" that encodes nothing.
		return text;
	}
}
