import { providerFault } from "#plugins/provider/faults.ts";

/** A member that is undefined is left out; a list is sent as the name again and again. */
export type CallQuery = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/**
 * The URL of a call. Every segment is encoded, and one that would lead out of its place is refused:
 * a URL parser removes `.` and `..`, also where they are written with percent signs.
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
