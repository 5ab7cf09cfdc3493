// The schedule in the job form: problems on their fields, small helps.
(function () {
  "use strict";

  var schedule = document.querySelector(".schedule");
  if (!schedule) return;
  var form = schedule.closest("form");
  var HOURS = "properties.recurrence.schedule.hours";
  var MINUTES = "properties.recurrence.schedule.minutes";

  function all(selector) {
    return Array.prototype.slice.call(schedule.querySelectorAll(selector));
  }
  function named(name) {
    return all("[name='" + name + "']");
  }
  // The first hour brings minute 00; without it the job would run at the minute of its first run.
  function addFirstMinute(box) {
    var hours = named(HOURS).filter(function (each) { return each.checked; });
    var minutes = named(MINUTES).concat(named(MINUTES + ":more"));
    var hasMinutes = minutes.some(function (each) { return each.type === "checkbox" ? each.checked : each.value.trim(); });
    if (box.checked && hours.length === 1 && !hasMinutes) named(MINUTES)[0].checked = true;
  }

  // Hours and minutes begin with those of the times.
  function copyTimes() {
    var isEmpty = !named(HOURS).concat(named(MINUTES)).some(function (each) { return each.checked; });
    if (!isEmpty) return;
    var others = [];
    named("time").forEach(function (input) {
      var parts = input.value.split(":");
      if (parts.length < 2) return;
      named(HOURS).forEach(function (box) { if (Number(box.value) === Number(parts[0])) box.checked = true; });
      var minute = named(MINUTES).filter(function (box) { return Number(box.value) === Number(parts[1]); })[0];
      if (minute) minute.checked = true;
      else others.push(Number(parts[1]));
    });
    if (others.length) named(MINUTES + ":more")[0].value = others.join(", ");
  }

  function nameUnits() {
    var many = ["", "1"].indexOf(named("properties.recurrence.interval")[0].value.trim()) < 0;
    all("[data-unit] option").forEach(function (option) { option.textContent = option.value + (many ? "s" : ""); });
  }

  // Remove one element from those that describe an input, and add another.
  function describe(input, removed, added) {
    var ids = (input.getAttribute("aria-describedby") || "").split(" ").filter(function (id) { return id && id !== removed; });
    if (added) ids.unshift(added);
    if (ids.length) input.setAttribute("aria-describedby", ids.join(" "));
    else input.removeAttribute("aria-describedby");
  }

  // Live problems replace those of the server, each below its field.
  function showProblems(part) {
    var scope = [schedule, document.getElementById("policies")];
    scope.forEach(function (root) {
      root.querySelectorAll(".problem.live").forEach(function (each) { each.remove(); });
      root.querySelectorAll("[data-live]").forEach(function (each) {
        each.removeAttribute("aria-invalid");
        describe(each, each.dataset.live, "");
        delete each.dataset.live;
      });
    });
    part.querySelectorAll("[data-field]").forEach(function (each) {
      var field = each.dataset.field && document.getElementById(each.dataset.field);
      if (!field || document.getElementById(each.dataset.field + "-problem")) return;
      var words = document.createElement("p");
      words.className = "problem live";
      words.id = each.dataset.field + "-live";
      words.textContent = each.dataset.words;
      var box = field.closest(".plain-row") || field.closest(".field") || field.parentElement;
      if (box.classList.contains("plain-row")) box.after(words);
      else box.append(words);
      var input = field.matches("input,select,textarea") ? field : field.querySelector("input,select,textarea");
      if (!input) return;
      input.dataset.live = words.id;
      input.setAttribute("aria-invalid", "true");
      describe(input, "", words.id);
    });
    var sentence = part.querySelector(".sentence");
    all("[data-sentence]").forEach(function (each) { each.textContent = sentence ? sentence.textContent : ""; });
  }

  schedule.addEventListener("change", function (event) {
    var target = event.target;
    if (target.name === HOURS) addFirstMinute(target);
    if (target.name === "times_by" && target.checked) copyTimes();
    if (target.name === "repeat" && target.value === "once") {
      var next = named("first").filter(function (each) { return each.checked && !each.value; })[0];
      if (next) named("first").forEach(function (each) { each.checked = each.value === "at"; });
    }
  });
  schedule.addEventListener("input", function (event) {
    if (event.target.name === "properties.recurrence.interval") nameUnits();
    // A problem that the server found is out of date as soon as its field changes.
    if (event.target.id) {
      var told = document.getElementById(event.target.id + "-problem");
      if (told) {
        told.remove();
        event.target.removeAttribute("aria-invalid");
        describe(event.target, told.id, "");
      }
    }
  });
  document.addEventListener("htmx:afterSwap", function (event) {
    if (event.detail.target.id === "preview") showProblems(event.detail.target);
  });

  if (form) nameUnits();
})();
