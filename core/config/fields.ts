// Describes what is configured; reads one variable by its schema, and says in words what it takes.

import { Client } from "pg";
import { z } from "zod";
import { parseAddressRange } from "#core/http/clients.ts";

/** Holds what a schema says of one variable, seen through `.default()`, `.optional()`, …. */
export type Field = {
	/** The schema under all wrappers: it decides how the text is read and what is expected. */
	base: z.core.$ZodType;
	description: string;
	/** The author's own words for what is expected. */
	expects: string | undefined;
	declaredSecret: boolean;
	/** Absent where there is none; a default may itself be undefined. */
	fallback: { value: unknown } | undefined;
	required: boolean;
};

/**
 * One owner's configuration. The schema's keys are names of environment variables, each with a
 * `.describe()`.
 *
 * `z.int()`, `z.number()` and `z.boolean()` read the variable's text by themselves; lists and JSON
 * have `commaList` and `jsonText`. `.meta({ expects: "…" })` says in human words what a pattern
 * wants, `.meta({ secret: true })` hides a value whose name does not say that it is one.
 */
export type ConfigSection<Schema extends z.ZodObject = z.ZodObject> = {
	readonly owner: string;
	readonly schema: Schema;
};

/** Holds one thing that an operator has to correct before the service starts. */
export type ConfigProblem = {
	variable: string;
	owner: string;
	/** The value as it may be shown; undefined where the variable is not set. */
	got: string | undefined;
	/** The allowed values of the variable, in plain words. */
	expected: string;
	/** What exactly is wrong, where `expected` does not say it already. */
	because: readonly string[];
};

/** An IP address or a range of them, such as `10.0.0.0/8`. A name is neither: it can change. */
export const addressRange = z
	.string()
	.refine((text) => parseAddressRange(text) !== null, "this is no IP address and no range");

const rate = z.number().min(1).max(100_000);

/**
 * Calls a second by chain or host, or one number for all, which becomes that of `*`.
 *
 * @example "100" → { "*": 100 }
 */
export const callRates = jsonText(
	z.union([
		rate.transform((perSecond): Record<string, number> => ({ "*": perSecond })),
		z.record(z.string().toLowerCase(), rate),
	]),
);

/**
 * Parses an origin exactly as browsers send it: no path, no default port, no wildcard. Another form
 * would look allowed and never match.
 */
export const exactOrigin = z.string().superRefine((text, context) => {
	const origin =
		/^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text).origin : undefined;
	if (origin === text && !text.includes("*")) return;
	const hint = origin && !text.includes("*") ? `; did you mean ${origin}?` : "";
	context.addIssue({ code: "custom", message: `this is not an exact origin${hint}` });
});

const WRAPPERS_MAX = 20;

const SPELLINGS = new Map([
	["true", true],
	["1", true],
	["yes", true],
	["false", false],
	["0", false],
	["no", false],
]);

const URLS_PER_CHAIN_MAX = 8;

const rpcUrl = z.string().refine(isRpcUrl, {
	message: "an RPC endpoint is a URL that begins with http://, https://, ws:// or wss://",
});

/** Parses the endpoints of one chain, in order of preference; a single one needs no brackets. */
export const rpcUrls = z.preprocess(
	(value) => (typeof value === "string" ? [value] : value),
	z.array(rpcUrl).min(1).max(URLS_PER_CHAIN_MAX),
);

/** Every owner's validated values. */
export type Config = {
	/** The values of one of the sections that were parsed. */
	of<Schema extends z.ZodObject>(section: ConfigSection<Schema>): z.output<Schema>;
	/** Sentences for the log: variables that look like misspelled ones of ours. */
	readonly warnings: readonly string[];
};

/**
 * Declares a variable that holds JSON of a certain shape.
 *
 * @example CHAIN_RPC_URLS_JSON: jsonText(z.record(z.string(), rpcUrls)).default({}).describe("…")
 */
export function jsonText<Shape extends z.ZodType>(shape: Shape) {
	return z
		.string()
		.transform((text, context): unknown => {
			try {
				return JSON.parse(text);
			} catch {
				// The parser's message quotes the text, which may hold a secret.
				context.addIssue({ code: "custom", message: "this is not JSON" });
				return z.NEVER;
			}
		})
		.pipe(shape);
}

/**
 * Items between commas. Blanks around them and empty items do not count, an item given twice
 * counts once.
 *
 * @example CHAINS: commaList(z.string().toLowerCase()).default([]).describe("…")
 */
export function commaList<Item extends z.ZodType<unknown, string>>(item: Item) {
	return z
		.string()
		.transform((text) => {
			const items = text.split(",").map((part) => part.trim());
			return [...new Set(items.filter((part) => part !== ""))];
		})
		.pipe(z.array(item));
}

/**
 * Returns what a variable takes, in words an operator understands; undefined where only zod can say
 * it.
 */
export function expectation({ base, expects }: Field): string | undefined {
	if (expects) return expects;
	if (base instanceof z.ZodBoolean) return "true or false (or 1/0, yes/no)";
	if (base instanceof z.ZodNumber) return numberWords(base);
	if (base instanceof z.ZodEnum) return `one of ${base.options.join(", ")}`;
	if (base instanceof z.ZodLiteral) return `one of ${[...base.values].join(", ")}`;
	if (base instanceof z.ZodURL) return "a URL";
	if (base instanceof z.ZodString && base.minLength !== null) {
		return base.minLength > 1 ? `a text of at least ${base.minLength} characters` : "a text";
	}
	return undefined;
}

/** Reads a schema as the declaration of an environment variable. */
export function fieldOf(schema: z.core.$ZodType): Field {
	const field: Field = {
		base: schema,
		description: "",
		expects: undefined,
		declaredSecret: false,
		fallback: undefined,
		required: !z.safeParse(schema, undefined).success,
	};
	for (let depth = 0; depth < WRAPPERS_MAX; depth++) {
		const layer = field.base;
		const meta = z.globalRegistry.get(layer);
		field.description ||= meta?.description ?? "";
		field.expects ??= typeof meta?.expects === "string" ? meta.expects : undefined;
		field.declaredSecret ||= meta?.secret === true;
		if (layer instanceof z.ZodDefault || layer instanceof z.ZodPrefault) {
			field.fallback ??= { value: layer.def.defaultValue };
			field.base = layer.def.innerType;
		} else if (
			layer instanceof z.ZodOptional ||
			layer instanceof z.ZodNullable ||
			layer instanceof z.ZodReadonly ||
			layer instanceof z.ZodCatch
		) {
			field.base = layer.def.innerType;
		} else if (layer instanceof z.ZodPipe) {
			// What a person types is what goes in.
			field.base = layer.def.in;
		} else break;
	}
	return field;
}

/**
 * Returns whether the driver can read a PostgreSQL URL. False for one whose parts are unclear, such
 * as a password with an unescaped `@` or `#`. What its parts lead to (a host, a file) is not asked.
 */
export function isDatabaseUrl(text: string): boolean {
	if (!/^postgres(ql)?:\/\//.test(text)) return false;
	try {
		new Client({ connectionString: text });
		return true;
	} catch (error) {
		return !(error instanceof TypeError);
	}
}

/**
 * Reads a boolean in one of a few spellings; undefined for any other text. `z.coerce.boolean()`
 * reads "false" as true, which has turned dry runs off elsewhere.
 */
export function readBoolean(text: string): boolean | undefined {
	return SPELLINGS.get(text.trim().toLowerCase());
}

/**
 * Reads a plain decimal number. `Number("")` is 0 and `Number("0x10")` is 16; here neither is one.
 */
export function readNumber(text: string): number | undefined {
	return /^-?(0|[1-9][0-9]{0,15})(\.[0-9]{1,15})?$/.test(text.trim()) ? Number(text) : undefined;
}

function numberWords(schema: z.ZodNumber): string {
	const kind = schema.isInt ? "a whole number" : "a number";
	const min = bounded(schema.minValue);
	const max = bounded(schema.maxValue);
	const above = isExclusive(schema, min) ? "more than" : "at least";
	const below = isExclusive(schema, max) ? "less than" : "at most";
	if (min === undefined && max === undefined) return kind;
	if (min === undefined) return `${kind}, ${below} ${max}`;
	if (max === undefined) return `${kind}, ${above} ${min}`;
	if (above === "at least" && below === "at most") return `${kind} from ${min} to ${max}`;
	return `${kind}, ${above} ${min} and ${below} ${max}`;
}

/**
 * Returns a bound; undefined for those of safe integers, which `z.int()` adds: they tell an
 * operator nothing.
 */
function bounded(value: number | null): number | undefined {
	return value !== null && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : undefined;
}

function isExclusive(schema: z.ZodNumber, bound: number | undefined): boolean {
	return (schema.def.checks ?? []).some(({ _zod: { def } }) => {
		const { value, inclusive } = def as { value?: unknown; inclusive?: boolean };
		return value === bound && inclusive === false;
	});
}

function isRpcUrl(text: string): boolean {
	return /^(https?|wss?):\/\/\S+$/.test(text) && URL.canParse(text);
}
