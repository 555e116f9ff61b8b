import type { WorldToken } from "#test/conformance/provider/world/World.ts";

export type HostileText = {
	name: string;
	token: Partial<WorldToken>;
	/** What no answer may contain, whatever it shows in its place. */
	never: RegExp;
};

const images = (url: string) => ({ imageUrl: url, displayImageUrl: url });

/** What a token of a stranger says of itself, and what of that must not be passed on. */
export const hostileTexts: readonly HostileText[] = [
	{
		name: "a script in the place of an image",
		token: images("javascript:alert(document.cookie)"),
		never: /javascript:/i,
	},
	{
		name: "a page in the place of an image",
		token: images("data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg=="),
		never: /data:text\/html/i,
	},
	{
		name: "an address of the machine's own network",
		token: images("http://169.254.169.254/latest/meta-data/iam"),
		never: /169\.254\.169\.254/,
	},
	{
		name: "credentials in an address",
		token: images("https://admin:hunter2@pictures.example/a.png"),
		never: /hunter2/,
	},
	{
		name: "a trait that is an object",
		token: {
			traits: [
				{ trait_type: "Colour", value: { $ne: "planted-object" } },
				{ trait_type: "Shape", value: "Round" },
			],
		},
		never: /planted-object/,
	},
	{
		name: "a trait of 10,000 characters",
		token: { traits: [{ trait_type: "Essay", value: "w".repeat(10_000) }] },
		never: /w{5000}/,
	},
	{
		name: "a name that turns the text around",
		token: { name: "abc\u202eexe.gpj" },
		never: /\u202e/,
	},
];
