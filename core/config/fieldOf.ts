import { z } from "zod";

/** What is known of one variable from its schema, seen through `.default()`, `.optional()`, …. */
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

const WRAPPERS_MAX = 20;

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
