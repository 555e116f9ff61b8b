import { createHmac } from "node:crypto";

/** OAuth 1.0a credentials: the app's, and those of the account that it acts for. */
export type OAuth1Keys = {
	apiKey: string;
	apiSecret: string;
	accessToken: string;
	accessTokenSecret: string;
};

export type OAuth1Request = {
	method: string;
	/** The URL with its query, whose parameters are signed. A JSON body is not signed. */
	url: string;
	/** Parameters of a form body, which are signed. X's version 2 takes JSON, and has none. */
	form?: Readonly<Record<string, string>>;
	nonce: string;
	nowMs: number;
};

/**
 * Returns the `authorization` header that signs a request by RFC 5849 with HMAC-SHA1.
 *
 * Written here because the libraries for X fix its host, and here the operator configures it.
 */
export function oauth1Header(keys: OAuth1Keys, request: OAuth1Request): string {
	const url = new URL(request.url);
	const own: [string, string][] = [
		["oauth_consumer_key", keys.apiKey],
		["oauth_nonce", request.nonce],
		["oauth_signature_method", "HMAC-SHA1"],
		["oauth_timestamp", String(Math.floor(request.nowMs / 1_000))],
		["oauth_token", keys.accessToken],
		["oauth_version", "1.0"],
	];
	const parameters = [...own, ...url.searchParams, ...Object.entries(request.form ?? {})]
		.map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
		.sort();
	const base = [request.method.toUpperCase(), `${url.origin}${url.pathname}`, parameters.join("&")];
	const signature = createHmac(
		"sha1",
		`${escaped(keys.apiSecret)}&${escaped(keys.accessTokenSecret)}`,
	)
		.update(base.map(escaped).join("&"))
		.digest("base64");
	const members = [...own, ["oauth_signature", signature] as const]
		.map(([name, value]) => `${escaped(name)}="${escaped(value)}"`)
		.sort();
	return `OAuth ${members.join(", ")}`;
}

/** Encodes by RFC 3986, which escapes more characters than `encodeURIComponent` does. */
function escaped(text: string): string {
	return encodeURIComponent(text).replace(
		/[!'()*]/g,
		(sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
	);
}
