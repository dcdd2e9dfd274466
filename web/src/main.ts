// The first script is small, and does not wait for styles. It loads the app, and at the same time the page and its data.
import { loadEarly } from "./early-page";

loadEarly(location.pathname);
void import("./app/app");
