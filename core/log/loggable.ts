import { redactText } from "#core/log/redactText.ts";

/** Of one string. A hostile contract's revert text is 4 MB (measured through viem). */
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
const ADDRESS = /^0x[0-9a-f]{40}$/i;

type Budget = { values: number; text: number; path: Set<object>; secrets: readonly string[] };

/**
 * A copy of any value that is safe to write: plain JSON, bounded in every direction, without
 * secrets. It never throws and never calls the value's own `toJSON`.
 */
export function loggable(value: unknown, options: { secrets?: readonly string[] } = {}): unknown {
	return copy(value, 0, {
		values: VALUES_MAX,
		text: TEXT_TOTAL_MAX,
		path: new Set(),
		secrets: options.secrets ?? [],
	});
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

function items(list: unknown[], depth: number, budget: Budget, length: number): unknown[] {
	const copied = list.map((item) => copy(item, depth + 1, budget) ?? null);
	if (length > list.length) copied.push(`[${length - list.length} more]`);
	return copied;
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

/** Own enumerable fields; a getter that throws costs its own field only. */
function ownFields(value: object): [string, unknown][] {
	return Object.keys(value).map((key) => [key, read(value, key)]);
}

/** Fault, viem and pg errors keep what matters in own fields (`code`, `meta`, `detail`). */
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

function isSecret(key: string, value: unknown): boolean {
	if (value === null || value === undefined || typeof value === "boolean") return false;
	if (typeof value === "string" && ADDRESS.test(value)) return false;
	return SECRET_KEY.test(key.toLowerCase().replaceAll(/[-_]/g, ""));
}

function text(value: string, budget: Budget, lengthMax = STRING_LENGTH_MAX): string {
	const allowed = Math.max(0, Math.min(lengthMax, budget.text));
	const redacted = redactText(value.slice(0, allowed + STRING_MARGIN), budget.secrets);
	const kept = redacted.slice(0, allowed).toWellFormed();
	budget.text -= kept.length;
	const lost = value.length > allowed + STRING_MARGIN || redacted.length > allowed;
	return lost ? `${kept}… [${value.length} characters]` : kept;
}

function* take<Item>(iterable: Iterable<Item>): Generator<Item> {
	let taken = 0;
	for (const item of iterable) {
		if (taken >= ENTRIES_MAX) return;
		taken += 1;
		yield item;
	}
}
