/** RFC 3986, appendix A, rule by rule. `URL` is no help: it repairs what it should refuse. */
const UNRESERVED = "A-Za-z0-9\\-._~";
const SUB_DELIMS = "!$&'()*+,;=";
const PERCENT = "%[0-9A-Fa-f]{2}";
const PCHAR = `(?:[${UNRESERVED}${SUB_DELIMS}:@]|${PERCENT})`;

const OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
const IPV4 = `(?:${OCTET}\\.){3}${OCTET}`;
const GROUP = "[0-9A-Fa-f]{1,4}";
const LAST_TWO = `(?:${GROUP}:${GROUP}|${IPV4})`;
const IPV6 = [
	`(?:${GROUP}:){6}${LAST_TWO}`,
	`::(?:${GROUP}:){5}${LAST_TWO}`,
	`(?:${GROUP})?::(?:${GROUP}:){4}${LAST_TWO}`,
	`(?:(?:${GROUP}:){0,1}${GROUP})?::(?:${GROUP}:){3}${LAST_TWO}`,
	`(?:(?:${GROUP}:){0,2}${GROUP})?::(?:${GROUP}:){2}${LAST_TWO}`,
	`(?:(?:${GROUP}:){0,3}${GROUP})?::${GROUP}:${LAST_TWO}`,
	`(?:(?:${GROUP}:){0,4}${GROUP})?::${LAST_TWO}`,
	`(?:(?:${GROUP}:){0,5}${GROUP})?::${GROUP}`,
	`(?:(?:${GROUP}:){0,6}${GROUP})?::`,
].join("|");
const IP_FUTURE = `[vV][0-9A-Fa-f]+\\.[${UNRESERVED}${SUB_DELIMS}:]+`;
const IP_LITERAL = `\\[(?:${IPV6}|${IP_FUTURE})\\]`;
const NAME_CHARACTER = `(?:[${UNRESERVED}${SUB_DELIMS}]|${PERCENT})`;
const USER = `(?:[${UNRESERVED}${SUB_DELIMS}:]|${PERCENT})*@`;
const authority = (name: string) => `(?:${USER})?(?:${IP_LITERAL}|${name})(?::[0-9]*)?`;

const SEGMENTS = `(?:/${PCHAR}*)*`;
const ROOTLESS = `${PCHAR}+${SEGMENTS}`;
const SCHEME = "[A-Za-z][A-Za-z0-9+.\\-]*";
const HIERARCHY = `(?://${authority(`${NAME_CHARACTER}*`)}${SEGMENTS}|/(?:${ROOTLESS})?|${ROOTLESS}|)`;
const REST = `(?:${PCHAR}|[/?])*`;

const AUTHORITY = new RegExp(`^${authority(`${NAME_CHARACTER}+`)}$`);
const URI = new RegExp(`^${SCHEME}:${HIERARCHY}(?:\\?${REST})?(?:#${REST})?$`);
const PCHARS = new RegExp(`^${PCHAR}*$`);
const STATEMENT = new RegExp(`^[${UNRESERVED}${SUB_DELIMS}:/?#[\\]@ ]+$`);

/** True for a host, perhaps with user and port. An empty host names nobody, and is none. */
export function isAuthority(text: string): boolean {
	return AUTHORITY.test(text);
}

/** True for an absolute URI of any scheme. */
export function isUri(text: string): boolean {
	return URI.test(text);
}

/** True for `*pchar`, also none: the form of a request id. */
export function isPchars(text: string): boolean {
	return PCHARS.test(text);
}

/** True for `1*( reserved / unreserved / " " )`, which ERC-4361 allows in a statement. */
export function isStatement(text: string): boolean {
	return STATEMENT.test(text);
}
