// Ponder does not start without this file, which is not called here.
import { Hono } from "hono";

export default new Hono();
