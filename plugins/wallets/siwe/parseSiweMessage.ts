// Parses sign-in messages (ERC-4361), exactly as their grammar says.

import { getAddress, isAddress } from "viem";
import { MINUTE_MS } from "#core/time.ts";
import { SIWE_MESSAGE_LENGTH_MAX, SIWE_RESOURCES_MAX } from "#plugins/wallets/limits.ts";

/** A sign-in message as it was written (ERC-4361). Times stay text: their spelling is signed. */
export type SiweMessage = {
	/** The scheme of the page that asks: `https` in `https://app.example wants you to …`. */
	scheme: string | null;
	/** An authority as in RFC 3986: host, perhaps with user and port. */
	domain: string;
	/** The address with the capitals of EIP-55, as in the message. */
	address: `0x${string}`;
	statement: string | null;
	uri: string;
	version: "1";
	chainId: number;
	nonce: string;
	issuedAt: string;
	expirationTime: string | null;
	notBefore: string | null;
	requestId: string | null;
	resources: readonly string[] | null;
};

export type SiweReading =
	| { kind: "message"; message: SiweMessage }
	| { kind: "refused"; reason: string };

type Fields = Omit<SiweMessage, "scheme" | "domain" | "address" | "statement">;

const TIMESTAMP = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d+))?(?:Z|([+-])(\d{2}):(\d{2}))$/;

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

const FIRST_LINE =
	/^(?:([A-Za-z][A-Za-z0-9+.-]*):\/\/)?([^ ]+) wants you to sign in with your Ethereum account:$/;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const CHAIN_ID = /^[0-9]+$/;
const NONCE = /^[a-zA-Z0-9]{8,}$/;

/**
 * Reads a sign-in message strictly by the grammar of ERC-4361.
 *
 * Own code, because text that a lenient parser skips is still signed: the person would read one
 * text and we act on another. So what was read must also render to the same text, byte for byte.
 */
export function parseSiweMessage(text: string): SiweReading {
	if (text.length > SIWE_MESSAGE_LENGTH_MAX) return refused("it is too long");
	const lines = text.split("\n");
	const [first = "", address = "", blank, statement = ""] = lines;
	const asker = FIRST_LINE.exec(first);
	const [, scheme = null, domain = ""] = asker ?? [];
	if (!asker || !isAuthority(domain)) return refused("the first line names no domain");
	if (!isChecksummed(address)) return refused("the address is not one in EIP-55 capitals");
	if (blank !== "") return refused("no empty line follows the address");
	const hasStatement = statement !== "";
	if (hasStatement && !isStatement(statement)) {
		return refused("the statement has characters that none may have");
	}
	if (hasStatement && lines[4] !== "") return refused("no empty line follows the statement");
	const fields = readFields(lines.slice(hasStatement ? 5 : 4));
	if (typeof fields === "string") return refused(fields);
	const message: SiweMessage = {
		scheme,
		domain,
		address,
		statement: hasStatement ? statement : null,
		...fields,
	};
	if (renderSiweMessage(message) !== text) return refused("it is not written canonically");
	return { kind: "message", message };
}

/**
 * Reads the moment that an RFC 3339 timestamp names; null: it is none.
 *
 * `Date.parse` alone takes the 30th of February for the 2nd of March. Leap seconds and the lower
 * case `t` and `z` are refused: no wallet writes them.
 */
export function readTimestamp(text: string): number | null {
	const match = TIMESTAMP.exec(text);
	if (!match) return null;
	const [, local = "", fraction = "", sign, hours = "0", minutes = "0"] = match;
	const milliseconds = fraction.slice(0, 3).padEnd(3, "0");
	const localMs = Date.parse(`${local}.${milliseconds}Z`);
	if (Number.isNaN(localMs)) return null;
	if (new Date(localMs).toISOString().slice(0, local.length) !== local) return null;
	if (Number(hours) > 23 || Number(minutes) > 59) return null;
	const offsetMs = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
	return sign === "-" ? localMs + offsetMs : localMs - offsetMs;
}

/** Accepts a host, perhaps with user and port; false for an empty host. */
export function isAuthority(text: string): boolean {
	return AUTHORITY.test(text);
}

/** Accepts an absolute URI of any scheme. */
export function isUri(text: string): boolean {
	return URI.test(text);
}

/** Accepts `*pchar`, also none: the form of a request id. */
export function isPchars(text: string): boolean {
	return PCHARS.test(text);
}

/** Accepts `1*( reserved / unreserved / " " )`, which ERC-4361 allows in a statement. */
export function isStatement(text: string): boolean {
	return STATEMENT.test(text);
}

/** Writes the one text that a message is signed as (ERC-4361). Fields are taken as they are. */
export function renderSiweMessage(message: SiweMessage): string {
	const { scheme, statement, expirationTime, notBefore, requestId, resources } = message;
	const asker = scheme === null ? message.domain : `${scheme}://${message.domain}`;
	const lines = [
		`${asker} wants you to sign in with your Ethereum account:`,
		message.address,
		"",
		...(statement === null ? [] : [statement]),
		"",
		`URI: ${message.uri}`,
		`Version: ${message.version}`,
		`Chain ID: ${message.chainId}`,
		`Nonce: ${message.nonce}`,
		`Issued At: ${message.issuedAt}`,
	];
	if (expirationTime !== null) lines.push(`Expiration Time: ${expirationTime}`);
	if (notBefore !== null) lines.push(`Not Before: ${notBefore}`);
	if (requestId !== null) lines.push(`Request ID: ${requestId}`);
	if (resources !== null) lines.push("Resources:", ...resources.map((uri) => `- ${uri}`));
	return lines.join("\n");
}

function refused(reason: string): SiweReading {
	return { kind: "refused", reason };
}

function isChecksummed(text: string): text is `0x${string}` {
	return ADDRESS.test(text) && isAddress(text) && getAddress(text) === text;
}

/** Reads the labelled lines, in their required order; returns a text that says what is wrong. */
function readFields(lines: readonly string[]): Fields | string {
	let at = 0;
	const take = (label: string): string | null => {
		const line = lines[at];
		if (!line?.startsWith(label)) return null;
		at++;
		return line.slice(label.length);
	};
	const uri = take("URI: ");
	if (uri === null || !isUri(uri)) return "URI is missing, misplaced or not a URI";
	const version = take("Version: ");
	if (version !== "1") return "Version is missing, misplaced or not 1";
	const chainId = take("Chain ID: ");
	if (chainId === null || !CHAIN_ID.test(chainId) || !Number.isSafeInteger(Number(chainId))) {
		return "Chain ID is missing, misplaced or not a number";
	}
	const nonce = take("Nonce: ");
	if (nonce === null || !NONCE.test(nonce)) {
		return "Nonce is missing, misplaced or not at least 8 letters and digits";
	}
	const issuedAt = take("Issued At: ");
	if (issuedAt === null || !isTime(issuedAt)) return "Issued At is missing, misplaced or no time";
	const expirationTime = take("Expiration Time: ");
	if (!isTime(expirationTime)) return "Expiration Time is no time";
	const notBefore = take("Not Before: ");
	if (!isTime(notBefore)) return "Not Before is no time";
	const requestId = take("Request ID: ");
	if (requestId !== null && !isPchars(requestId)) return "Request ID has characters it may not";
	const hasResources = take("Resources:") === "";
	const resources = hasResources ? lines.slice(at).map(resourceOf) : [];
	if (!hasResources && at < lines.length) return "a line stands where none may";
	if (resources.length > SIWE_RESOURCES_MAX) return "it has too many resources";
	const uris = resources.filter((one) => one !== null);
	if (uris.length < resources.length) return "a resource is not a URI";
	const times = { issuedAt, expirationTime, notBefore };
	const read = { uri, version, chainId: Number(chainId), nonce, ...times, requestId } as const;
	return { ...read, resources: hasResources ? uris : null };
}

/** Says whether a field is a time, or is absent. */
function isTime(text: string | null): boolean {
	return text === null || readTimestamp(text) !== null;
}

function resourceOf(line: string): string | null {
	return line.startsWith("- ") && isUri(line.slice(2)) ? line.slice(2) : null;
}
