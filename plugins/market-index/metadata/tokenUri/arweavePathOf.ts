const TRANSACTION = /^\/?[A-Za-z0-9_-]{43}$/;

/**
 * Returns the path of Arweave content on any gateway, for `ar://` and URLs of arweave.net; else
 * null.
 */
export function arweavePathOf(uri: string): string | null {
	const parts = /^(?:ar:\/*|https?:\/\/arweave\.net\/)([^/?#]+)(.*)$/is.exec(uri);
	if (!parts) return null;
	const [, id = "", rest = ""] = parts;
	if (!TRANSACTION.test(id)) return null;
	const url = URL.parse(`/${id}${rest.replaceAll("#", "%23")}`, "http://gateway.invalid");
	if (!url || url.host !== "gateway.invalid") return null;
	const isWithin = url.pathname === `/${id}` || url.pathname.startsWith(`/${id}/`);
	return isWithin ? url.pathname + url.search : null;
}
