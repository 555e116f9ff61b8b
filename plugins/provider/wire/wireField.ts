import { z } from "zod";
import type { Address, Hex } from "#core/chain/Hex.ts";
import { cleanLine } from "#core/outside/cleanLine.ts";
import { cleanProse } from "#core/outside/cleanProse.ts";
import { cleanUrl } from "#core/outside/cleanUrl.ts";
import {
	CURSOR_LENGTH_MAX,
	NAME_LENGTH_MAX,
	PROSE_LENGTH_MAX,
	SYMBOL_LENGTH_MAX,
} from "#plugins/provider/limits.ts";
import { readTimeMs } from "#plugins/provider/wire/readTimeMs.ts";
import { readUint } from "#plugins/provider/wire/readUint.ts";

/**
 * Members of the provider's answers. None refuses: a missing or unreadable member is null, so that
 * it costs only itself, and the reader of a row decides which members it requires.
 */
export const wireField = {
	name: member((value) => cleanLine(value, { lengthMax: NAME_LENGTH_MAX })),
	prose: member((value) => cleanProse(value, { lengthMax: PROSE_LENGTH_MAX })),
	symbol: member((value) => cleanLine(value, { lengthMax: SYMBOL_LENGTH_MAX })),
	slug: member(slugOf),
	/** An opaque text that is sent back as it came. */
	cursor: member((value) =>
		typeof value === "string" && value.length <= CURSOR_LENGTH_MAX && value !== "" ? value : null,
	),
	link: member((value) => cleanUrl(value, "link")),
	media: member((value) => cleanUrl(value, "media")),
	address: member((value): Address | null => hexOf(value, 20)),
	hash: member((value): Hex | null => hexOf(value, 32)),
	uint: member(readUint),
	timeMs: member(readTimeMs),
	boolean: member((value) => (typeof value === "boolean" ? value : null)),
	/** A count that fits an `int4`. */
	count: member((value) => {
		const count = readUint(value);
		return count !== null && count < 2n ** 31n ? Number(count) : null;
	}),
	/** A display figure: a double of the provider's, zero or more. */
	figure: member(figureOf),
	decimals: member((value) => {
		const decimals = readUint(value);
		return decimals !== null && decimals <= 77n ? Number(decimals) : null;
	}),
	record: member(recordOf),
	list: member((value): readonly unknown[] | null => (Array.isArray(value) ? value : null)),
	/** Any value; the reader checks it. */
	any: member((value) => value),
};

function member<Read>(read: (value: unknown) => Read) {
	return z.unknown().optional().transform(read);
}

/**
 * Returns a text that may be part of a path and of a database row: without blanks, slashes and
 * invisible characters.
 */
function slugOf(value: unknown): string | null {
	if (typeof value !== "string" || value === "." || value === "..") return null;
	return /^[^\s\p{C}/\\?#%]{1,256}$/u.test(value) ? value : null;
}

function hexOf(value: unknown, bytes: number): Hex | null {
	if (typeof value !== "string" || value.length !== 2 + bytes * 2) return null;
	return /^0x[0-9a-fA-F]*$/.test(value) ? `0x${value.slice(2).toLowerCase()}` : null;
}

function figureOf(value: unknown): number | null {
	const isText = typeof value === "string" && /^\d{1,40}(?:\.\d{1,40})?$/.test(value);
	const figure = isText ? Number(value) : value;
	return typeof figure === "number" && Number.isFinite(figure) && figure >= 0 ? figure : null;
}

const record = z.record(z.string(), z.unknown());

function recordOf(value: unknown): Record<string, unknown> | null {
	if (Array.isArray(value)) return null;
	const read = record.safeParse(value);
	return read.success ? read.data : null;
}
