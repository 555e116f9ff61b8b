import { expect, test } from "bun:test";
import { z } from "zod";
import { definePlugin, definePlugins, serviceKey } from "#core/plugin/Plugin.ts";

type Greeter = { greet(): string };
const GreeterKey = serviceKey<Greeter>()("greeter");

const greeter = definePlugin({
	name: "greeter",
	version: "1",
	config: z.object({}),
	needs: {},
	offers: GreeterKey,
	setup: () => ({ service: { greet: () => "hello" } }),
});
const guest = definePlugin({
	name: "guest",
	version: "1",
	config: z.object({}),
	needs: { greeter: GreeterKey },
	setup: ({ needs }) => {
		// Typed by the key: this line is the check.
		const greeting: string | undefined = needs.greeter?.greet();
		return { health: async () => greeting ?? null };
	},
});

test("a list of plugins that meets every need compiles; one that does not is a type error", () => {
	expect(definePlugins([greeter, guest])).toHaveLength(2);
	// @ts-expect-error nobody in this list offers "greeter"
	expect(definePlugins([guest])).toHaveLength(1);
});

test("a service of another type than its key is a type error", () => {
	const wrong = definePlugin({
		name: "wrong",
		version: "1",
		config: z.object({}),
		needs: {},
		offers: GreeterKey,
		// @ts-expect-error greet must answer a string
		setup: () => ({ service: { greet: () => 1 } }),
	});
	expect(wrong.name).toBe("wrong");
});
