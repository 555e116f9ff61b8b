/** CIDs: version 0, and version 1 in base32, base36, base58 or base16. */
const CID =
	/^(Qm[1-9A-HJ-NP-Za-km-z]{44}|b[a-z2-7]{50,110}|k[0-9a-z]{45,100}|z[1-9A-HJ-NP-Za-km-z]{45,100}|f[0-9a-f]{60,140})$/;
const IPNS_NAME = /^[a-z0-9][a-z0-9._-]{2,252}$/i;

/**
 * Returns the path of IPFS content on any gateway, such as `/ipfs/Qm…/1.json`, for every form of
 * it: `ipfs://`, `ipfs://ipfs/`, `ipns://`, a bare CID, or a URL of any gateway, with the CID in
 * its path or host. Null for any other URI, and for a path that leaves the content.
 */
export function ipfsPathOf(uri: string): string | null {
	const scheme = /^(ipfs|ipns):\/*(.*)$/is.exec(uri);
	if (scheme) {
		const [, root = "", rest = ""] = scheme;
		// In a file's name `#` means itself: documents have no fragments.
		const given = rest.replaceAll("#", "%23");
		return /^ip[fn]s\//i.test(given) ? checkedPath(given) : checkedPath(`${root}/${given}`);
	}
	const url = /^https?:\/\//i.test(uri) ? URL.parse(uri) : null;
	if (url) return checkedPath(url.pathname.slice(1) + url.search) ?? subdomainPath(url);
	const bare = uri.replace(/^\/+/, "").replaceAll("#", "%23");
	if (/^ip[fn]s\//.test(bare)) return checkedPath(bare);
	return CID.test(bare.split(/[/?]/)[0] ?? "") ? checkedPath(`ipfs/${bare}`) : null;
}

/** `https://<cid>.ipfs.<gateway>/<path>` */
function subdomainPath(url: URL): string | null {
	const [cid = "", root = ""] = url.hostname.split(".");
	if (root !== "ipfs" || !CID.test(cid)) return null;
	return checkedPath(`ipfs/${cid}${url.pathname}${url.search}`);
}

function checkedPath(path: string): string | null {
	const parts = /^(ip[fn]s)\/+([^/?]+)(.*)$/is.exec(path);
	if (!parts) return null;
	const [, given = "", name = "", rest = ""] = parts;
	const root = given.toLowerCase();
	if (!(CID.test(name) || (root === "ipns" && IPNS_NAME.test(name)))) return null;
	const prefix = `/${root}/${name}`;
	const url = URL.parse(prefix + rest, "http://gateway.invalid");
	// The parser resolves dots that climb, also encoded ones, which shows here.
	if (!url || !(url.pathname === prefix || url.pathname.startsWith(`${prefix}/`))) return null;
	return url.host === "gateway.invalid" ? url.pathname + url.search : null;
}
