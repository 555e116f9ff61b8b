/** A sign-in message as it was written (ERC-4361). Times stay text: their spelling is signed. */
export type SiweMessage = {
	/** Of the page that asks: `https` in `https://app.example wants you to …`. */
	scheme: string | null;
	/** An authority as in RFC 3986: host, perhaps with user and port. */
	domain: string;
	/** With the capitals of EIP-55, as in the message. */
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
