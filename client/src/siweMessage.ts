// Writes the message of a sign-in with Ethereum (ERC-4361).

import { keccak_256 } from "@noble/hashes/sha3";
import type { components } from "./schema.ts";

/** Returns the text that a wallet signs, from what the service's nonce route answered. */
export function siweMessage(given: {
	address: string;
	challenge: components["schemas"]["SiweChallenge"];
	statement?: string;
	issuedAt?: Date;
}): string {
	const { address, challenge, statement = "Sign in to Tapeline.", issuedAt = new Date() } = given;
	const { domain, uri, version, chainId, nonce, expiresAt } = challenge;
	if (domain === null || uri === null) throw new Error("The service lets no page sign in.");
	return [
		`${domain} wants you to sign in with your Ethereum account:`,
		checksummed(address),
		"",
		statement,
		"",
		`URI: ${uri}`,
		`Version: ${version}`,
		`Chain ID: ${chainId}`,
		`Nonce: ${nonce}`,
		`Issued At: ${issuedAt.toISOString()}`,
		`Expiration Time: ${expiresAt}`,
	].join("\n");
}

/** Writes an address with the capitals of EIP-55, which the message needs and wallets may omit. */
function checksummed(address: string): string {
	const digits = address.toLowerCase().replace(/^0x/, "");
	if (!/^[0-9a-f]{40}$/.test(digits)) throw new Error(`"${address}" is no address.`);
	const hash = keccak_256(new TextEncoder().encode(digits));
	const shown = [...digits].map((digit, at) => {
		const byte = hash[at >> 1] ?? 0;
		return (at % 2 === 0 ? byte >> 4 : byte & 15) >= 8 ? digit.toUpperCase() : digit;
	});
	return `0x${shown.join("")}`;
}
