import { readFileSync } from "node:fs";
import { join } from "node:path";

export type Schema = {
	$ref?: string;
	type?: string;
	format?: string;
	required?: string[];
	properties?: Record<string, Schema>;
	items?: Schema;
	enum?: unknown[];
	allOf?: Schema[];
	oneOf?: Schema[];
	minimum?: number;
	maximum?: number;
	additionalProperties?: Schema | boolean;
};

export type Parameter = { name: string; in: string; required?: boolean; schema: Schema };

export type Operation = {
	parameters?: Parameter[];
	responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
};

export type ApiDocument = {
	paths: Record<string, Record<string, Operation>>;
	components: { schemas: Record<string, Schema> };
};

const ROOT = join(import.meta.dir, "../../../..");

/** Reads the API's published document out of the package that ships it. */
export function readDocument(): ApiDocument {
	const path = join(ROOT, "node_modules/@opensea/api-types/opensea-api.json");
	return JSON.parse(readFileSync(path, "utf8"));
}
