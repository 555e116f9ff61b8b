import { z } from "zod";
import type { Field } from "#core/config/fieldOf.ts";

/** What a variable takes, in words an operator understands; undefined where only zod can say it. */
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

/** `z.int()` brings the bounds of safe integers, which tell an operator nothing. */
function bounded(value: number | null): number | undefined {
	return value !== null && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : undefined;
}

function isExclusive(schema: z.ZodNumber, bound: number | undefined): boolean {
	return (schema.def.checks ?? []).some(({ _zod: { def } }) => {
		const { value, inclusive } = def as { value?: unknown; inclusive?: boolean };
		return value === bound && inclusive === false;
	});
}
