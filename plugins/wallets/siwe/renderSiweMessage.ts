import type { SiweMessage } from "#plugins/wallets/siwe/SiweMessage.ts";

/** The one text that a message is signed as (ERC-4361). Fields are taken as they are. */
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
