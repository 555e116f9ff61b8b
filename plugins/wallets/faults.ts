import { defineFaults } from "#core/fault.ts";

export const walletsFault = defineFaults({
	siweMessageInvalid: {
		status: 422,
		retry: "never",
		public: "The message is not a sign-in message as ERC-4361 writes it.",
		advice: "Build the message by ERC-4361, from the members that the nonce route answers.",
	},
	siweDomain: {
		status: 401,
		retry: "never",
		public: "The message is for another domain.",
		advice: "Put the `domain` of the nonce route into the message, and sign again.",
	},
	siweUri: {
		status: 401,
		retry: "never",
		public: "The message's URI is not on its domain.",
		advice: "Put the `uri` of the nonce route into the message, and sign again.",
	},
	siweChain: {
		status: 401,
		retry: "never",
		public: "The message is for another chain.",
		advice: "Put the `chainId` of the nonce route into the message, and sign again.",
	},
	siweExpired: {
		status: 401,
		retry: "never",
		public: "The message has expired.",
		advice: "Ask for a new nonce and sign a new message.",
	},
	siweNotYetValid: {
		status: 401,
		retry: "never",
		public: "The message is not valid yet.",
		advice: "Leave `Not Before` out, or set the clock of the signing machine.",
	},
	siweLifetime: {
		status: 401,
		retry: "never",
		public: "The message is valid for too long.",
		advice: "Give the message an `Expiration Time` within the lifetime of its nonce.",
	},
	siweNonce: {
		status: 401,
		retry: "never",
		public: "The nonce is unknown, used or expired: ask for a new one and sign again.",
		advice: "Ask for a new nonce; each is good for one try.",
	},
	siweSignature: {
		status: 401,
		retry: "never",
		public: "The signature is not that of the address in the message.",
		advice: "Sign the very text that you send, with the account that it names.",
	},
	socialLinkedElsewhere: {
		status: 409,
		retry: "never",
		public: "That social account is linked to another profile. Unlink it there first.",
		advice: "Sign in to the other profile and unlink the account there.",
	},
	socialAmbiguous: {
		status: 409,
		retry: "never",
		public: "The wallet provider knows several social accounts of yours. Keep one.",
		advice: "Keep one social account at the wallet provider, and sign in again.",
	},
	walletLinkedElsewhere: {
		status: 409,
		retry: "never",
		public: "That wallet is linked to another profile. Unlink it there first.",
		advice: "Sign in to the other profile and unlink the wallet there.",
	},
	deploymentOwn: {
		status: 403,
		retry: "never",
		public: "That wallet is the service's own. Nobody signs in with it.",
		advice: "Sign in with a wallet of yours.",
	},
	walletsTooMany: {
		status: 409,
		retry: "never",
		public: "The profile has as many wallets as it may have. Unlink one first.",
		advice: "Unlink a wallet that you do not use.",
	},
	signInTooOld: {
		status: 403,
		retry: "never",
		public:
			"That weakens a safeguard, and needs a sign-in within the last ten minutes. Sign in again, and " +
			"send it once more.",
		advice: "Sign in again, then send the same request.",
	},
	notFound: {
		status: 404,
		retry: "never",
		public: "There is no such wallet in your profile.",
		advice: "Use an id of `wallets` in your profile (`/v1/trading/profile`).",
	},
	chainUnavailable: {
		status: 503,
		retry: "later",
		public: "The chain's node serves another chain, so nothing there can be asked.",
		advice: "Try again later, or sign with a key's own account: that needs no node.",
	},
	homeChainUnknown: {
		status: 500,
		retry: "never",
		public: "TRADING_HOME_CHAIN names a chain that is not defined.",
	},
});
