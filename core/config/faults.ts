import { defineFaults } from "#core/fault/defineFaults.ts";

export const configFault = defineFaults({
	configInvalid: { status: 500, retry: "never", public: "The configuration is invalid." },
});
