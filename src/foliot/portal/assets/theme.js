// Loaded before the page is drawn, so that a chosen theme does not flash.
(function () {
  "use strict";
  var chosen = null;
  try { chosen = localStorage.getItem("foliot-theme"); } catch (error) { /* not allowed: the system's */ }
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  // The server draws calendars in the viewer's zone; it is told once.
  var zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (zone && document.cookie.indexOf("foliot-zone=" + zone) < 0) {
    document.cookie = "foliot-zone=" + zone + "; path=/; max-age=31536000; samesite=strict";
  }
})();
