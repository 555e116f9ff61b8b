import { foreignFault } from "#core/foreign/faults.ts";
import { isPublicName } from "#core/foreign/isPublicName.ts";
import { URL_LENGTH_MAX } from "#core/foreign/limits.ts";

/** What a URL parser drops or turns round silently, so that two parsers read two hosts. */
const AMBIGUOUS = /[\p{Cc}\p{Zs}\p{Zl}\p{Zp}\\]/u;

export type ForeignUrl = {
	url: URL;
	/** The host without brackets: a name, or an address in its plain notation. */
	host: string;
	/** The operator named this very origin. */
	isAllowed: boolean;
};

/**
 * Reads a URL that a stranger wrote, and refuses whatever has no business in one: other schemes,
 * credentials, odd ports, names of local networks. Whether its host is public is not known yet.
 */
export function parseForeignUrl(
	text: string,
	{ allowedOrigins, ports }: { allowedOrigins: readonly string[]; ports: readonly number[] },
): ForeignUrl {
	if (text.length > URL_LENGTH_MAX) throw refused("the URL is too long");
	if (AMBIGUOUS.test(text)) throw refused("the URL has blanks, backslashes or control characters");
	if (!/^https?:\/\//i.test(text)) throw refused("only http:// and https:// are reached");
	const url = URL.parse(text);
	if (url === null) throw refused("it is not a URL");
	if (url.href.length > URL_LENGTH_MAX) throw refused("the URL is too long");
	if (url.username !== "" || url.password !== "") throw refused("the URL has credentials");
	url.hash = "";
	const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
	const isAllowed = allowedOrigins.includes(url.origin);
	if (isAllowed) return { url, host, isAllowed };
	if (!ports.includes(portOf(url))) throw refused(`port ${url.port} is not reached`);
	const isAddress = url.hostname.startsWith("[");
	if (!isAddress && !isPublicName(host)) {
		throw refused("the name is one of a local network");
	}
	return { url, host, isAllowed };
}

function portOf(url: URL): number {
	return url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
}

function refused(detail: string) {
	return foreignFault.refused({ detail });
}
