// Runs before the first paint, so that the page does not flash in the other theme.
(function () {
  "use strict";
  var chosen = null;
  try { chosen = localStorage.getItem("foliot-theme"); } catch (error) { /* not allowed: use the system's theme */ }
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  // The server draws the timeline in the viewer's time zone, which this cookie names.
  var zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (zone && document.cookie.indexOf("foliot-zone=" + zone) < 0) {
    document.cookie = "foliot-zone=" + zone + "; path=/; max-age=31536000; samesite=strict";
  }
})();
