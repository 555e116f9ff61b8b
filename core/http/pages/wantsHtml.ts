const QUALITY = /;\s*q=([0-9.]+)/;

/**
 * Returns whether a request prefers a page to JSON: a browser's address bar sends `text/html`;
 * programs send JSON, anything, or nothing.
 */
export function wantsHtml(request: Request): boolean {
	const ranges = (request.headers.get("accept") ?? "").toLowerCase().split(",");
	const weight = (type: string) => {
		const range = ranges.find((one) => one.split(";")[0]?.trim() === type);
		return range === undefined ? 0 : Number(QUALITY.exec(range)?.[1] ?? 1);
	};
	return weight("text/html") > weight("application/json");
}
