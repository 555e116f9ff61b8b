import type { ApiDocument, Operation } from "#test/conformance/provider/document/readDocument.ts";

export type FoundOperation = {
	/** Such as `GET /api/v2/collections/{slug}`. */
	name: string;
	operation: Operation;
	/** Values of the path's parameters, decoded. */
	path: Record<string, string>;
};

/** Finds what the document says about a request; null where it says nothing. */
export function findOperation(
	document: ApiDocument,
	{ method, pathname }: { method: string; pathname: string },
): FoundOperation | null {
	const asked = pathname.split("/");
	const found = Object.entries(document.paths).flatMap(([template, methods]) => {
		const operation = methods[method.toLowerCase()];
		const path = operation && match(template.split("/"), asked);
		return operation && path ? [{ name: `${method} ${template}`, operation, path }] : [];
	});
	// `/collections/trending` fits `/collections/{slug}` as well: the more exact one is meant.
	const fewestParameters = (a: FoundOperation, b: FoundOperation) =>
		Object.keys(a.path).length - Object.keys(b.path).length;
	return found.sort(fewestParameters)[0] ?? null;
}

function match(template: string[], asked: string[]): Record<string, string> | null {
	if (template.length !== asked.length) return null;
	const path: Record<string, string> = {};
	for (const [at, part] of template.entries()) {
		const given = asked[at] ?? "";
		const name = /^\{(.+)\}$/.exec(part)?.[1];
		if (name === undefined ? part !== given : given === "") return null;
		if (name !== undefined) path[name] = decodeURIComponent(given);
	}
	return path;
}
