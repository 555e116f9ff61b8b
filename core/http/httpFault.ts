import { defineFaults } from "#core/fault/defineFaults.ts";

/** What can be wrong with a request before any plugin sees it, and what can be wrong with us. */
export const httpFault = defineFaults({
	badRequest: { status: 400, retry: "never", public: "The request cannot be understood." },
	malformedUrl: { status: 400, retry: "never", public: "The URL is not validly encoded." },
	malformedBody: { status: 400, retry: "never", public: "The body is not valid JSON." },
	unauthorized: { status: 401, retry: "never", public: "Sign in first." },
	forbidden: { status: 403, retry: "never", public: "That is not allowed." },
	originNotAllowed: {
		status: 403,
		retry: "never",
		public: "Requests from this origin are not allowed.",
	},
	portInUse: {
		status: 500,
		retry: "later",
		public: "The port is in use by another program.",
	},
	notFound: { status: 404, retry: "never", public: "There is nothing at this address." },
	methodNotAllowed: {
		status: 405,
		retry: "never",
		public: "This address does not know that method.",
	},
	conflict: { status: 409, retry: "never", public: "The request conflicts with what is stored." },
	bodyTooLarge: { status: 413, retry: "never", public: "The body is larger than 1 MiB." },
	unsupportedMediaType: {
		status: 415,
		retry: "never",
		public: "Bodies are read as application/json only.",
	},
	validationError: { status: 422, retry: "never", public: "The request is not valid." },
	upgradeRequired: {
		status: 426,
		retry: "never",
		public: "This address is a WebSocket stream: connect with a WebSocket client.",
	},
	rateLimited: { status: 429, retry: "later", public: "Rate limit exceeded." },
	internalError: {
		status: 500,
		retry: "later",
		public: "Something went wrong on our side. It has been recorded under the request id.",
	},
	unavailable: { status: 503, retry: "later", public: "The service cannot answer right now." },
	notReady: { status: 503, retry: "later", public: "The service is not ready." },
	draining: { status: 503, retry: "later", public: "This server is restarting. Connect again." },
});
