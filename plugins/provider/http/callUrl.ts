import { providerFault } from "#plugins/provider/faults.ts";

/** An undefined member is left out; a list repeats its name. */
export type CallQuery = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/**
 * Returns the URL of a call. Every segment is encoded, and `.` and `..` are refused with a Fault: a
 * URL parser would resolve them, also where they are percent-encoded.
 */
export function callUrl(baseUrl: string, segments: readonly string[], query: CallQuery): string {
	const path = segments.map((segment) => {
		if (segment === "" || segment === "." || segment === "..") {
			throw providerFault.refused({ detail: "a name that is no path segment" });
		}
		// A lone surrogate cannot be encoded, and names nothing.
		return encodeURIComponent(segment.toWellFormed());
	});
	const search = new URLSearchParams();
	for (const [name, value] of Object.entries(query)) {
		for (const one of value === undefined ? [] : [value].flat()) search.append(name, String(one));
	}
	const text = search.size > 0 ? `?${search}` : "";
	return `${baseUrl.replace(/\/+$/, "")}/api/v2/${path.join("/")}${text}`;
}
