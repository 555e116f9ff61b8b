import { defineFaults } from "#core/fault/defineFaults.ts";

/** What can be wrong with a one-time link. Whatever is no link any more is the same `not_found`. */
export const linkFault = defineFaults({
	notFound: {
		status: 404,
		retry: "never",
		public: "This link was used, has run out, or never was one.",
		advice: "Ask for a new link with `POST /v1/links`, or read the intent.",
	},
	linksTooMany: {
		status: 409,
		retry: "later",
		public: "There are too many links to that intent already. Use the newest, or wait.",
		advice: "Use the newest link, or wait until older ones have run out.",
	},
	noQuestion: {
		status: 409,
		retry: "never",
		public:
			"The intent waits for no answer of yours. What your own wallet sent is cancelled by a link with " +
			"the purpose cancel.",
		advice: "Read the intent: it stands where nothing is asked of you.",
	},
});
