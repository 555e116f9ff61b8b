import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { closed } from "#test/harness/document/closed.ts";

/** Returns what is wrong with a value by a schema of a document; undefined where nothing is. */
export type SchemaCheck = (pointer: string, value: unknown) => string | undefined;

const TEXT_LENGTH_MAX = 200;

/**
 * Makes a check of values against the schemas of an OpenAPI or AsyncAPI document, each named by its
 * JSON pointer (`/components/schemas/Page`). Members that no schema names are wrong.
 */
export function createSchemaCheck(document: object): SchemaCheck {
	// Other tests check that the document itself is well formed (`e2e/documents`): repeating it would
	// cost each service of a test a sixth of a second.
	const given = { meta: false, validateSchema: false } as const;
	const ajv = new Ajv2020({ ...given, strict: false, allErrors: true, validateFormats: true });
	addFormats.default(ajv);
	ajv.addSchema({ ...Object(closed(document)), $id: "document" });
	const checks = new Map<string, ValidateFunction>();
	return (pointer, value) => {
		const check = checks.get(pointer) ?? ajv.compile({ $ref: `document#${encodeURI(pointer)}` });
		checks.set(pointer, check);
		if (check(value)) return undefined;
		return (check.errors ?? [])
			.map(({ instancePath, message, params }) => {
				const found = at(value, instancePath);
				return `${instancePath} ${message} ${JSON.stringify(params)}: ${found}`;
			})
			.slice(0, 5)
			.join("\n");
	};
}

function at(value: unknown, pointer: string): string {
	const found = pointer
		.split("/")
		.slice(1)
		.reduce<unknown>((part, key) => Object(part)[key.replaceAll("~1", "/")], value);
	return (JSON.stringify(found) ?? "nothing").slice(0, TEXT_LENGTH_MAX);
}
