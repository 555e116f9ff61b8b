import { defineFaults } from "#core/fault/defineFaults.ts";

export const walletsFault = defineFaults({
	siweMessageInvalid: {
		status: 422,
		retry: "never",
		public: "The message is not a sign-in message as ERC-4361 writes it.",
	},
	siweDomain: { status: 401, retry: "never", public: "The message is for another domain." },
	siweUri: { status: 401, retry: "never", public: "The message's URI is not on its domain." },
	siweChain: { status: 401, retry: "never", public: "The message is for another chain." },
	siweExpired: { status: 401, retry: "never", public: "The message has expired." },
	siweNotYetValid: { status: 401, retry: "never", public: "The message is not valid yet." },
	siweLifetime: { status: 401, retry: "never", public: "The message is valid for too long." },
	siweNonce: {
		status: 401,
		retry: "never",
		public: "The nonce is unknown, used or expired: ask for a new one and sign again.",
	},
	siweSignature: {
		status: 401,
		retry: "never",
		public: "The signature is not that of the address in the message.",
	},
	socialLinkedElsewhere: {
		status: 409,
		retry: "never",
		public: "That social account is linked to another profile. Unlink it there first.",
	},
	socialAmbiguous: {
		status: 409,
		retry: "never",
		public: "The wallet provider knows several social accounts of yours. Keep one.",
	},
	walletLinkedElsewhere: {
		status: 409,
		retry: "never",
		public: "That wallet is linked to another profile. Unlink it there first.",
	},
	walletsTooMany: {
		status: 409,
		retry: "never",
		public: "The profile has as many wallets as it may have. Unlink one first.",
	},
	signInTooOld: {
		status: 403,
		retry: "never",
		public:
			"That weakens a safeguard, and needs a sign-in within the last ten minutes. Sign in again, and " +
			"send it once more.",
	},
	notFound: { status: 404, retry: "never", public: "There is no such wallet in your profile." },
	validationError: { status: 422, retry: "never", public: "The request is not valid." },
	homeChainUnknown: {
		status: 500,
		retry: "never",
		public: "TRADING_HOME_CHAIN names a chain that is not defined.",
	},
});
