import { getAddress, isAddress } from "viem";
import { SIWE_MESSAGE_LENGTH_MAX, SIWE_RESOURCES_MAX } from "#plugins/wallets/limits.ts";
import { readTimestamp } from "#plugins/wallets/siwe/readTimestamp.ts";
import type { SiweMessage } from "#plugins/wallets/siwe/SiweMessage.ts";
import { isAuthority, isPchars, isStatement, isUri } from "#plugins/wallets/siwe/uriGrammar.ts";

export type SiweReading =
	| { kind: "message"; message: SiweMessage }
	| { kind: "refused"; reason: string };

const FIRST_LINE =
	/^(?:([A-Za-z][A-Za-z0-9+.-]*):\/\/)?([^ ]+) wants you to sign in with your Ethereum account:$/;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const CHAIN_ID = /^[0-9]+$/;
const NONCE = /^[a-zA-Z0-9]{8,}$/;

/**
 * Reads a sign-in message by the grammar of ERC-4361, and nothing that only resembles it.
 *
 * Own, because what a lenient parser skips is still signed: the person read one text and we would
 * act on another. So whatever was read must also render to the same text, byte for byte.
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

type Fields = Omit<SiweMessage, "scheme" | "domain" | "address" | "statement">;

/** Reads the labelled lines, in the order in which they must stand; a text says what is wrong. */
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

function resourceOf(line: string): string | null {
	return line.startsWith("- ") && isUri(line.slice(2)) ? line.slice(2) : null;
}

/** Says whether a field is a time, or is absent. */
function isTime(text: string | null): boolean {
	return text === null || readTimestamp(text) !== null;
}

function isChecksummed(text: string): text is `0x${string}` {
	return ADDRESS.test(text) && isAddress(text) && getAddress(text) === text;
}

function refused(reason: string): SiweReading {
	return { kind: "refused", reason };
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
