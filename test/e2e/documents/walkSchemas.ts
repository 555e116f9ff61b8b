export type DocumentedMember = {
	/** The member's name. */
	name: string;
	/** The name of the schema with this member, for failure messages. */
	where: string;
	/** JSON pointer of its schema in the document. */
	pointer: string;
	schema: any;
	/** True in an object of another service that is passed on unchanged. */
	isForeign: boolean;
};

/** Yields every member of every named schema of an OpenAPI or AsyncAPI document. */
export function* walkSchemas(document: any): Generator<DocumentedMember> {
	for (const [of, named] of Object.entries<any>(document.components.schemas)) {
		const isForeign = typeof named.additionalProperties === "object";
		for (const [name, schema] of Object.entries<any>(named.properties ?? {})) {
			const pointer = `/components/schemas/${of}/properties/${name}`;
			yield { name, where: `${of}.${name}`, pointer, schema, isForeign };
		}
	}
}
